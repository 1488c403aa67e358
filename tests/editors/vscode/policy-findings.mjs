// What policies find on save, and what is said once nobody can be asked any more: node policy-findings.mjs SETUP.json (see
// window.mjs; also `model`, the process that is asked, `later`, a sentence that it would find, and `codes`).
import fs from 'node:fs';
import path from 'node:path';
import {
  applyQuickFix, closeProblems, command, finish, hover, leaveHover, messages, openFile, openWorkspace, page, problems,
  save, setup, shown, shownLines, statusItem, step, told, tooltip, typeAtEnd,
} from './window.mjs';

const DOCUMENT = path.join(setup.workspace, 'handbook', 'overview.md');
const found = page.locator('.squiggly-info');
const review = page.locator('.squiggly-hint');

const counted = (least) =>
  page.waitForFunction((count) => document.querySelectorAll('.squiggly-info').length >= count, least);

/** Runs the policies by hand, and gives the message that comes of it. */
async function byHand() {
  await command('Run Policies on This Document');
  return told('hedged-claims:');
}

async function quiet() {
  await page.locator('.notification-toast').first().waitFor({ state: 'hidden', timeout: 30000 }).catch(() => {});
}

/** Makes the panel as high as its rows are many. */
async function dragPanel(to) {
  const { x, y } = await page.locator('.part.panel').boundingBox();
  await page.mouse.move(x + 500, y - 1);
  await page.mouse.down();
  await page.mouse.move(x + 500, to, { steps: 5 });
  await page.mouse.up();
  await page.mouse.move(x + 500, 200);
  await page.locator('.monaco-sash.hover').first().waitFor({ state: 'hidden' });
  await page.waitForTimeout(400); // its colour fades
}

await page.setViewportSize({ width: 1280, height: 800 });

await step('policy-opened', async () => {
  await openWorkspace();
  await openFile('overview.md');
  await statusItem.filter({ hasText: /\d+ citations/ }).waitFor({ timeout: 60000 }); // a save before that is not told
  await page.keyboard.press('Control+B');
  await page.locator('.explorer-folders-view').waitFor({ state: 'hidden' });
  return { underlined: await found.count() };
});

await step('policy-found', async () => {
  await page.keyboard.press('Control+End');
  await page.keyboard.press('Backspace'); // a save of what was edited: the last line end
  await save();
  await found.first().waitFor({ timeout: 60000 });
  await counted(4);
  await review.first().waitFor();
  await page.keyboard.press('Control+Home');
  await problems('nobody can be held');
  await dragPanel(366);
  const last = page.locator('.markers-panel .monaco-list-row', { hasText: 'Ln 12, Col 3' }).last();
  await last.waitFor();
  const rows = await problems('nobody can be held');
  await quiet();
  await page.screenshot({
    path: path.join(setup.pictures, 'vscode-policies.png'),
    animations: 'disabled',
    clip: { x: 52, y: 36, width: 1224, height: 732 },
  });
  return { rows, hints: await review.count(), status: await statusItem.innerText() };
});

await step('policy-told', async () => {
  await closeProblems();
  const told = await hover('usually full', 'nobody can be held');
  await leaveHover();
  const doubtful = await hover('- The', 'a person should look'); // of a hint VS Code marks the first letters;
  await leaveHover();
  return { told, doubtful, status: await tooltip('checked by policies') };
});

await step('policy-by-hand', byHand);

await step('policy-messages-read', async () => {
  await page.keyboard.press('Escape');
  await quiet();
});

await step('policy-ignored', async () => {
  const titles = await applyQuickFix('normally cost', 'Ignore');
  await shown('cite-lsp: ignore');
  await problems('nobody can be held');
  await page.waitForFunction(
    () => [...document.querySelectorAll('.markers-panel .monaco-list-row')]
      .filter((row) => row.textContent.includes('policy:')).length === 4, // others name the passage as further evidence
  );
  return { titles, lines: await shownLines(), rows: await problems('nobody can be held') };
});

await step('policy-gone', async () => {
  await closeProblems();
  process.kill(setup.model, 'SIGKILL');
  await typeAtEnd(`\n\n${setup.later}`);
  await save();
  await statusItem.filter({ has: page.locator('.codicon-warning') }).waitFor({ timeout: 90000 });
  const status = await tooltip('checked by policies');
  const told = await messages.first().innerText();
  return { status, told, rows: await problems('nobody can be held') };
});

await step('policy-by-hand-gone', async () => {
  await closeProblems();
  return byHand();
});

await step('policy-switched-off', async () => {
  const titles = await applyQuickFix('very low', 'off in this project');
  await page.locator('.tab', { hasText: 'cite-lsp.toml' }).first().waitFor();
  return { titles, saved: fs.readFileSync(DOCUMENT, 'utf8') };
});

await finish();
