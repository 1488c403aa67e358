// A workspace that brings its own server, before and after somebody trusts it: node trust.mjs SETUP.json (see
// window.mjs; also `mark`, a file that the workspace's server writes).
import fs from 'node:fs';
import { finish, messages, openFile, openWorkspace, page, setup, statusItem, step } from './window.mjs';

await step('untrusted', async () => {
  await openWorkspace();
  await openFile('limits.md');
  await messages.filter({ hasText: 'cite-lsp is not installed' }).waitFor();
  await statusItem.filter({ hasText: 'stopped' }).waitFor();
  return { ran: fs.existsSync(setup.mark), messages: await messages.allInnerTexts() };
});

await step('trusted', async () => {
  await page.locator('.statusbar-item', { hasText: 'Restricted Mode' }).click();
  await page.locator('.workspace-trust-editor').getByRole('button', { name: 'Trust', exact: true }).first().click();
  await statusItem.filter({ hasText: /\d+ citations?/ }).waitFor({ timeout: 40000 });
  return { ran: fs.existsSync(setup.mark) };
});

await finish();
