// A cited file is typed in and not saved: node drift.mjs SETUP.json (see window.mjs).
import fs from 'node:fs';
import path from 'node:path';
import {
  applyQuickFix, closeProblems, finish, goToLine, hover, leaveHover, openFile, openWorkspace, page, problems, setup,
  shownLines, statusItem, step, until,
} from './window.mjs';

const CODE = path.join(setup.workspace, 'src', 'retry.py');
const ACCEPTED = path.join(setup.workspace, 'cite-lsp.accepted.json');
const warnings = page.locator('.squiggly-warning').first();

/** Waits until so many citations are marked. */
function marked(count) {
  return page.waitForFunction((wanted) => document.querySelectorAll('.squiggly-warning').length === wanted, count);
}

await step('drift-before', async () => {
  await openWorkspace();
  await openFile('limits.md');
  await statusItem.filter({ hasText: /\d+ citations?, 0 findings/ }).waitFor({ timeout: 60000 });
});

await step('references', async () => {
  await openFile('retry.py');
  await goToLine(8);
  const rows = page.locator('.reference-zone-widget .ref-tree .monaco-list-row');
  await until(
    () => page.keyboard.press('Shift+F12'),
    (timeout) => rows.filter({ hasText: 'retrying.md' }).first().waitFor({ timeout }),
  );
  return rows.allInnerTexts();
});

await step('drift-typed', async () => {
  await page.keyboard.press('Escape');
  await page.locator('.reference-zone-widget').waitFor({ state: 'detached' });
  await goToLine(7);
  await page.keyboard.press('Home');
  await page.keyboard.type('# one\n# two\n# three\n', { delay: 10 });
  return { saved: fs.readFileSync(CODE, 'utf8'), lines: await shownLines() };
});

await step('drift-told', async () => {
  await openFile('limits.md');
  await warnings.waitFor();
  return problems('moved');
});

await step('drift-hover', async () => {
  await closeProblems();
  return hover('src/retry.py:7-9', 'from the unsaved buffer'); // the finding is there before the hover is
});

await step('drift-mended', async () => {
  await leaveHover();
  const titles = await applyQuickFix('src/retry.py:7-9', 'src/retry.py:10-12');
  await warnings.waitFor({ state: 'detached' });
  return { titles, lines: await shownLines() };
});

await step('drift-again', async () => {
  await openFile('retry.py');
  await goToLine(3);
  await page.keyboard.press('Home');
  await page.keyboard.type('# limits\n', { delay: 10 });
  await openFile('limits.md');
  await marked(2);
  return problems('moved');
});

await step('drift-accepted', async () => {
  await closeProblems();
  const titles = await applyQuickFix('src/retry.py:3', 'Still right');
  await marked(1);
  return { titles, accepted: JSON.parse(fs.readFileSync(ACCEPTED, 'utf8')), lines: await shownLines() };
});

await step('drift-mended-again', async () => {
  await applyQuickFix('src/retry.py:10-12', 'src/retry.py:11-13');
  await marked(0);
  return shownLines();
});

await finish();
