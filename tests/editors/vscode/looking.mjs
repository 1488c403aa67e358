// What leads from a document to code and back, and what follows when files change by other hands: node looking.mjs
// SETUP.json (see window.mjs; also `renamed`, a name for the code, and `deleted`, the text of größe.py).
import fs from 'node:fs';
import path from 'node:path';
import {
  applyQuickFix, closeProblems, command, finish, focused, goToLine, middleOf, openFile, openWorkspace, page,
  picture, problems, save, setup, shown, shownLines, statusItem, step, typeAtEnd, until,
} from './window.mjs';

const inWorkspace = (...names) => path.join(setup.workspace, ...names);
const read = (...names) => fs.readFileSync(inWorkspace(...names), 'utf8');
const warnings = page.locator('.squiggly-warning');
const errors = page.locator('.squiggly-error');
const position = page.locator('[id="status.editor.selection"]');

/** The name of the file that is shown, and where the cursor is in it, once that is a file of this name. */
async function arrived(name) {
  await page.locator('.tab.active', { hasText: name }).waitFor();
  await focused.waitFor();
  return { tab: (await page.locator('.tab.active').innerText()).trim(), position: await position.innerText() };
}

/** Puts the cursor into a text. */
async function cursorIn(text) {
  const { x, y } = await middleOf(text);
  await page.mouse.click(x, y);
  await page.mouse.move(700, 700);
}

/** Waits until the position of the cursor is told as one on a line. */
function onLine(line) {
  return position.filter({ hasText: `Ln ${line},` }).waitFor();
}

await step('umlauts', async () => {
  await openWorkspace();
  await openFile('grenzen.md');
  await statusItem.filter({ hasText: /\d+ citations?, 1 finding/ }).waitFor({ timeout: 60000 });
  const rows = await problems('retri.py');
  await closeProblems();
  const titles = await applyQuickFix('src/retri.py:7', 'src/retry.py');
  await errors.first().waitFor({ state: 'detached' });
  return { rows, titles, lines: await shownLines() };
});

await step('definition', async () => {
  await cursorIn('größe.py:2');
  await page.keyboard.press('F12');
  const found = await arrived('größe.py');
  await onLine(2);
  return { ...found, position: await position.innerText() };
});

await step('changed-outside', async () => {
  await openFile('limits.md');
  const code = read('src', 'retry.py');
  fs.writeFileSync(inWorkspace('src', 'retry.py'), `# one\n# two\n${code}`);
  await warnings.first().waitFor();
  const rows = await problems('moved');
  fs.writeFileSync(inWorkspace('src', 'retry.py'), code);
  await warnings.first().waitFor({ state: 'detached' });
  await closeProblems();
  return rows;
});

await step('link', async () => {
  await cursorIn('src/retry.py:7-9');
  await command('Open Link');
  const found = await arrived('retry.py');
  await onLine(7);
  return { ...found, position: await position.innerText() };
});

/** Changes settings of this machine while the editor runs. */
function set(settings) {
  const before = JSON.parse(fs.readFileSync(setup.settings, 'utf8'));
  fs.writeFileSync(setup.settings, JSON.stringify({ ...before, ...settings }));
}

const lenses = page.locator('.codelens-decoration a');
const peeked = page.locator('.reference-zone-widget .ref-tree .monaco-list-row');

/** Clicks a lens, and gives what is peeked at. */
async function peek(title, wanted) {
  await lenses.filter({ hasText: title }).first().click();
  const head = page.locator('.reference-zone-widget .peekview-title', { hasText: wanted });
  await head.waitFor();
  await peeked.first().waitFor();
  const rows = [await head.innerText(), ...(await peeked.allInnerTexts())];
  await picture(`peek-${wanted.replaceAll(/\W/g, '')}`);
  await page.keyboard.press('Escape');
  await page.locator('.reference-zone-widget').waitFor({ state: 'detached' });
  return rows;
}

await step('cited-by', async () => {
  const before = await lenses.count();
  set({ 'cite-lsp.server.code_lens': true });
  await lenses.first().waitFor();
  await lenses.nth(1).waitFor();
  return { before, titles: await lenses.allInnerTexts(), rows: await peek('cited by 1', 'limits.md') };
});

await step('headings', async () => {
  await openFile('limits.md');
  await page.mouse.move(800, 400);
  await until(
    () => page.mouse.wheel(0, -400), // what stands above the first line is scrolled out of sight at first
    (timeout) => lenses.filter({ hasText: 'citations' }).first().waitFor({ timeout }),
  );
  return { titles: await lenses.allInnerTexts(), rows: await peek('2 citations', 'limits.md') };
});

const offered = page.locator('.suggest-widget.visible .monaco-list-row');

/** Takes an item of what is offered by itself; all that was offered. */
async function take(item) {
  const row = offered.filter({ hasText: item }).first();
  await row.waitFor();
  const texts = await offered.allInnerTexts();
  await picture(`offered-${item.replaceAll(/\W/g, '')}`);
  await row.click();
  await focused.waitFor();
  return texts;
}

await step('completed', async () => {
  set({ 'editor.suggestOnTriggerCharacters': true });
  await typeAtEnd('Attempts and/or waits');
  await page.waitForTimeout(500); // whoever would be offered something is by now
  const inProse = await offered.count();
  await page.keyboard.type(' are there (`', { delay: 10 });
  await offered.first().waitFor();
  await page.keyboard.type('ret', { delay: 30 });
  await offered.filter({ hasText: 'größe.py' }).first().waitFor({ state: 'detached' }); // what does not fit goes
  const paths = await take('retry.py');
  await page.keyboard.type(':');
  const names = await take('delay');
  await page.keyboard.type('`).', { delay: 10 });
  await page.waitForTimeout(500);
  const behind = await offered.count();
  set({ 'editor.suggestOnTriggerCharacters': false });
  return { inProse, paths, names, behind, lines: await shownLines() };
});

await step('marked', async () => {
  const before = await shownLines();
  set({ 'cite-lsp.server.inlay_hints': true });
  await save();
  await shown('✗');
  const lines = await shownLines();
  const unsupported = lenses.filter({ hasText: '1 unsupported' }).first();
  await unsupported.waitFor();
  const heading = await unsupported.innerText();
  await picture('marked-lines');
  set({ 'cite-lsp.server.inlay_hints': false });
  await page.waitForFunction(() => !document.querySelector('.editor-instance').textContent.includes('✗'));
  return { before, lines, heading };
});

await step('symbols', async () => {
  const rows = page.locator('.quick-input-list .monaco-list-row');
  await until(
    async () => {
      await page.keyboard.press('Control+P');
      await page.locator('.quick-input-widget input').first().fill('#retry', { timeout: 4000 }).catch(() => {});
    },
    (timeout) => rows.filter({ hasText: 'retry.py:7-9' }).first().waitFor({ timeout }),
  );
  const found = await rows.allInnerTexts();
  await picture('symbols-found');
  await rows.filter({ hasText: 'retry.py:3' }).first().click();
  await focused.waitFor();
  await onLine(5);
  return { found, ...(await arrived('limits.md')) };
});

await step('renamed', async () => {
  await openFile('limits.md');
  const row = page.locator('.explorer-folders-view .monaco-list-row', { hasText: 'retry.py' });
  const field = page.locator('.explorer-folders-view input');
  await until(
    async () => {
      await row.click();
      await page.locator('.explorer-folders-view .monaco-list-row.focused', { hasText: 'retry.py' }).waitFor();
      await page.keyboard.press('F2');
    },
    (timeout) => field.waitFor({ timeout }),
  );
  await field.fill(setup.renamed);
  await page.keyboard.press('Enter');
  const asked = page.locator('.monaco-dialog-box');
  await asked.waitFor();
  const told = await asked.innerText();
  await picture('rename-asked');
  await asked.getByRole('button', { name: 'OK' }).click();
  await page.locator('.tab.active', { hasText: setup.renamed }).waitFor();
  await field.waitFor({ state: 'hidden' });
  await openFile('limits.md');
  await shown(`src/${setup.renamed}:7-9`);
  return { told, lines: await shownLines(), files: fs.readdirSync(inWorkspace('src')), errors: await errors.count() };
});

const markers = page.locator('.markers-panel .monaco-list-row');

await step('closed', async () => {
  await command('File: Save All');
  await page.locator('.tab.dirty').first().waitFor({ state: 'detached' });
  await command('View: Close All Editors');
  await page.locator('.tab').first().waitFor({ state: 'detached' });
  await until(
    () => page.keyboard.press('Control+Shift+M'),
    (timeout) => page.locator('.markers-panel').waitFor({ timeout }),
  );
  await markers.first().waitFor({ state: 'detached' });
});

await step('deleted', async () => {
  const row = page.locator('.explorer-folders-view .monaco-list-row', { hasText: 'größe.py' });
  const asked = page.locator('.monaco-dialog-box');
  await until(
    async () => {
      await row.click();
      await page.locator('.explorer-folders-view .monaco-list-row.focused', { hasText: 'größe.py' }).waitFor();
      await page.keyboard.press('Delete');
    },
    (timeout) => asked.waitFor({ timeout }),
  );
  await picture('delete-asked');
  await asked.getByRole('button', { name: 'Delete' }).click();
  await row.waitFor({ state: 'detached' });
  return { rows: await problems('größe.py'), files: fs.readdirSync(inWorkspace('src')) };
});

await step('brought-back', async () => {
  const open = await page.locator('.tab', { hasText: '.md' }).count();
  fs.writeFileSync(inWorkspace('src', 'größe.py'), setup.deleted);
  await markers.first().waitFor({ state: 'detached' });
  await page.keyboard.press('Control+J');
  await page.locator('.markers-panel').waitFor({ state: 'hidden' });
  return { open };
});

await step('untitled', async () => {
  await command('File: New Untitled Text File');
  await focused.waitFor();
  await page.keyboard.type('Gone 🧩 (`src/nowhere.py:7`).', { delay: 10 });
  await errors.first().waitFor();
  return problems('nowhere.py');
});

await finish();
