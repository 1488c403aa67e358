// One session of writing: node drive.mjs SETUP.json (see window.mjs; also `server` and `crasher`, two programs).
import fs from 'node:fs';
import path from 'node:path';
import {
  applyQuickFix, backToText, choose, closeProblems, finish, focused, hover, leaveHover, messages, openFile,
  openWorkspace, page, picture, problems, save, setup, shown, shownLines, statusItem, step, told, typeAtEnd, until,
} from './window.mjs';

const DOCUMENT = path.join(setup.workspace, 'docs', 'limits.md');
const errors = page.locator('.squiggly-error').first();
const warnings = page.locator('.squiggly-warning').first();
const onDisk = () => fs.readFileSync(DOCUMENT, 'utf8');

await step('opened', async () => {
  await openWorkspace();
  await openFile('limits.md');
  await statusItem.waitFor({ timeout: 60000 });
});

await step('typing', async () => {
  await typeAtEnd('The delay of an attempt is a power of two (`src/retri.py:7`).');
  await errors.waitFor();
  return { onDisk: onDisk().includes('src/retri.py'), dirty: await page.locator('.tab.active.dirty').count() };
});

await step('problems', () => problems('src/retri.py'));

await step('hover', async () => {
  await closeProblems();
  return hover('src/retry.py:7-9', 'BASE_DELAY');
});

await step('fixed', async () => {
  await leaveHover();
  const titles = await applyQuickFix('src/retri.py:7', 'src/retry.py');
  await errors.waitFor({ state: 'detached' });
  return { titles, lines: await shownLines() };
});

await step('verdict', async () => {
  await save();
  await warnings.waitFor({ timeout: 40000 });
  return { told: await hover('src/retry.py:3', 'cite-lsp'), saved: onDisk() };
});

await step('verdict-problems', async () => {
  await leaveHover();
  return problems('cite-lsp');
});

await step('status', async () => {
  await page.locator('.statusbar-item', { hasText: /cite-lsp: \d+ citations?, \d+ findings?/ }).first().waitFor();
  return statusItem.innerText();
});

await step('copied', async () => {
  await closeProblems();
  await openFile('retry.py');
  await page.keyboard.press('Control+G');
  await page.locator('.quick-input-widget input').first().fill(':7');
  await page.keyboard.press('Enter');
  await focused.waitFor();
  for (let line = 0; line < 3; line++) await page.keyboard.press('Shift+ArrowDown');
  const item = page.getByRole('menuitem', { name: 'Copy Citation' });
  await until(() => page.keyboard.press('Shift+F10'), (timeout) => item.waitFor({ timeout }));
  await picture('context-menu');
  await item.click();
  await page.locator('.statusbar-item', { hasText: 'Copied' }).waitFor();
  return page.evaluate(() => navigator.clipboard.readText());
});

await step('pasted', async () => {
  await openFile('limits.md');
  await typeAtEnd('\n\nSee ');
  await page.keyboard.press('Control+V');
  await shown('See src');
  await save();
  return onDisk();
});

await step('judged', async () => {
  const entries = await choose('Judge document');
  return { entries, told: await told('citations,') };
});

await step('fixed-all', async () => {
  await backToText();
  await typeAtEnd('\n\nThe wait is a float (`src/retry.py:9-7`).');
  await errors.waitFor();
  await choose('Fix all');
  const message = await told('fixed');
  await errors.waitFor({ state: 'detached' });
  return { told: message, lines: await shownLines() };
});

await step('off-in-vscode', async () => {
  await backToText();
  await typeAtEnd('\n\nGone: `src/none.py:1`.');
  await errors.waitFor();
  fs.mkdirSync(path.join(setup.workspace, '.vscode'));
  fs.writeFileSync(path.join(setup.workspace, '.vscode', 'settings.json'), '{"cite-lsp.rules": {"missing": "off"}}');
  await errors.waitFor({ state: 'detached' });
});

/** Sets the server's path in the settings of this machine. */
function setServer(program) {
  const settings = JSON.parse(fs.readFileSync(setup.settings, 'utf8'));
  fs.writeFileSync(setup.settings, JSON.stringify({ ...settings, 'cite-lsp.server.path': program }));
}

await step('wrong-path', async () => {
  setServer('/nowhere/cite-lsp');
  await statusItem.filter({ hasText: 'stopped' }).waitFor();
  return told('/nowhere/cite-lsp');
});

await step('crashes', async () => {
  setServer(setup.crasher);
  await told('crashed five times');
  await statusItem.filter({ hasText: 'stopped' }).waitFor();
  return messages.allInnerTexts();
});

await step('restarted', async () => {
  setServer(setup.server);
  await statusItem.filter({ hasText: /\d+ citations?/ }).waitFor();
  return statusItem.innerText();
});

await finish();
