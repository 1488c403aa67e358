// A policy file with faults, as a person sees it and types in it: node policies.mjs SETUP.json (see window.mjs).
import {
  backToText, closeProblems, finish, goToLine, hover, leaveHover, openFile, openWorkspace, page, problems, setup, shown,
  shownLines, statusItem, step, until,
} from './window.mjs';

const errors = page.locator('.squiggly-error');
const suggestions = page.locator('.suggest-widget.visible .monaco-list-row');

async function endOfLine(line) {
  await goToLine(line);
  await page.keyboard.press('End');
}

/** Types, asks what may follow, and takes an item: what was offered. */
async function take(text, item) {
  await page.keyboard.type(text, { delay: 10 });
  const row = suggestions.filter({ hasText: item }).first();
  await until(() => page.keyboard.press('Control+Space'), (timeout) => row.waitFor({ timeout }));
  const offered = await suggestions.allInnerTexts();
  await page.screenshot({ path: `${setup.pictures}/policy-offered-${item.replaceAll(/[^a-z]/g, '')}.png` });
  await row.click();
  await backToText();
  return offered;
}

await page.setViewportSize({ width: 1280, height: 1300 }); // high enough for the file and what is told of it

await step('policy-faults', async () => {
  await openWorkspace();
  await openFile('log-triage.toml');
  await statusItem.waitFor({ timeout: 60000 });
  await errors.first().waitFor({ timeout: 40000 });
  await page.keyboard.press('Control+B');
  const rows = await problems('riddles');
  await page.locator('.notification-toast').waitFor({ state: 'hidden' }).catch(() => {});
  return { rows };
});

await step('policy-underlined', async () => {
  await closeProblems();
  await page.waitForFunction(() => document.querySelectorAll('.squiggly-error').length >= 12);
  return { underlined: await errors.count(), lines: await shownLines() };
});

await step('policy-hover', async () => hover('"riddle"', 'first round'));

await step('policy-typed', async () => {
  await leaveHover();
  await endOfLine(2);
  for (let count = 0; count < '"sentence"'.length; count++) await page.keyboard.press('Backspace');
  const words = await take('"', 'log-lines');
  await shown('passages = "log-lines"');
  await endOfLine(18);
  await page.keyboard.press('Enter');
  const keys = await take('cat', 'category');
  await page.keyboard.type('"puzzles"', { delay: 10 });
  await shown('category = "puzzles"');
  return { words, keys, lines: await shownLines() };
});

await step('policy-mended', async () => {
  const rows = await problems('treshold');
  return rows.filter((row) => row.includes('sentence'));
});

await step('other-toml', async () => {
  await closeProblems();
  await openFile('Cargo.toml');
  await page.keyboard.press('Control+End');
  await page.keyboard.type('\nthr', { delay: 10 });
  await shown('thr');
  await openFile('log-triage.toml');
  await endOfLine(18);
  await page.keyboard.type(' 5', { delay: 10 });
  await problems('TOML'); // what was typed before in the other file has been read by now
  await closeProblems();
  await openFile('Cargo.toml');
  await page.keyboard.press('Control+End');
  await page.keyboard.press('Control+Space');
  await page.locator('.suggest-widget.visible .message', { hasText: 'No suggestions' }).or(suggestions.first()).waitFor();
  return { underlined: await errors.count(), offered: await suggestions.allInnerTexts() };
});

await finish();
