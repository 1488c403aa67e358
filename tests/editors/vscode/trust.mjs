// A workspace that brings its own server, before and after somebody trusts it: node trust.mjs SETUP.json (see
// window.mjs; also `mark`, a file that the workspace's server writes, and `server`, one that the user has).
import fs from 'node:fs';
import {
  choose, finish, messages, openFile, openWorkspace, page, picture, setup, statusItem, step, told, tooltip, until,
} from './window.mjs';

const rows = page.locator('.quick-input-list .monaco-list-row');
const ran = () => fs.existsSync(setup.mark);

/** The entries of the menu behind the status item. */
async function menu() {
  await until(() => statusItem.click(), (timeout) => rows.first().waitFor({ timeout }));
  const entries = await rows.allInnerTexts();
  await picture('trust-menu');
  await page.keyboard.press('Escape');
  await rows.first().waitFor({ state: 'hidden' });
  return entries;
}

/** Sets the server's path in the settings of this machine. */
function setServer(program) {
  const settings = JSON.parse(fs.readFileSync(setup.settings, 'utf8'));
  fs.writeFileSync(setup.settings, JSON.stringify({ ...settings, 'cite-lsp.server.path': program }));
}

await step('untrusted', async () => {
  await openWorkspace();
  await openFile('limits.md');
  await messages.filter({ hasText: 'cite-lsp is not installed' }).waitFor();
  await statusItem.filter({ hasText: 'stopped' }).waitFor();
  return { ran: ran(), messages: await messages.allInnerTexts(), entries: await menu() };
});

await step('limited', async () => {
  setServer(setup.server);
  await statusItem.filter({ hasText: /\d+ citations?/ }).waitFor({ timeout: 40000 });
  const entries = await choose('Judge document');
  const refused = await told('not trusted');
  return { ran: ran(), entries, refused, status: await tooltip('Restricted mode') };
});

await step('trusted', async () => {
  setServer('');
  await page.locator('.statusbar-item', { hasText: 'Restricted Mode' }).click();
  await page.locator('.workspace-trust-editor').getByRole('button', { name: 'Trust', exact: true }).first().click();
  await page.waitForFunction(() => !document.querySelector('.statusbar-item[aria-label*="Restricted"]'));
  await statusItem.filter({ hasText: /\d+ citations?/ }).waitFor({ timeout: 40000 });
  return { ran: ran() };
});

await finish();
