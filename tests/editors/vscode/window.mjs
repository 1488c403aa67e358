// The window of a real VS Code, and what a person does in it.
//
// The first argument of the program is a JSON file: {playwright, browser, url, workspace, pictures, settings, …}.
// What each step saw is written to stdout as one JSON object; a step that fails ends the program with status 1, its
// name on stderr and failed.png among the pictures.
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

export const setup = JSON.parse(fs.readFileSync(process.argv[2], 'utf8'));
const { chromium } = await import(pathToFileURL(setup.playwright).href);
const WAIT = 20000;
const seen = {};

const browser = await chromium.launch({
  executablePath: setup.browser,
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
    '--disable-component-update', '--disable-sync'],
});
const context = await browser.newContext({
  viewport: { width: 1280, height: 800 },
  permissions: ['clipboard-read', 'clipboard-write'],
  reducedMotion: 'reduce',
});
export const page = await context.newPage();
page.setDefaultTimeout(WAIT);

/** The item of this extension in the status bar, and the messages in the corner. */
export const statusItem = page.locator('.statusbar-item', { hasText: 'cite-lsp:' }).first();
export const messages = page.locator('.notification-list-item');
/** What VS Code shows of the active editor. */
export const focused = page.locator('.editor-instance .monaco-editor.focused');

export function picture(name) {
  return page.screenshot({ path: path.join(setup.pictures, `${name}.png`), animations: 'disabled' });
}

export async function step(name, action) {
  const started = Date.now();
  try {
    const value = await action();
    seen[name] = value === undefined ? true : value;
    await picture(name);
  } catch (error) {
    await picture('failed').catch(() => {});
    console.error(`step ${name}: ${error.stack}`);
    console.log(JSON.stringify(seen));
    process.exit(1);
  }
  console.error(`${name}: ${Date.now() - started} ms`);
}

export async function finish() {
  console.log(JSON.stringify(seen));
  await browser.close();
}

/** Repeats an action until what it should bring about is there: VS Code drops keys while it is still loading. */
export async function until(action, arrived) {
  const end = Date.now() + WAIT;
  for (;;) {
    await action();
    try {
      return await arrived(Math.min(4000, Math.max(1, end - Date.now())));
    } catch (error) {
      if (Date.now() >= end) throw error;
      await page.keyboard.press('Escape');
    }
  }
}

export async function openWorkspace() {
  await page.goto(`${setup.url}?folder=${encodeURIComponent(setup.workspace)}`);
  await page.locator('.monaco-workbench').waitFor({ timeout: 60000 });
  await page.locator('.explorer-folders-view .monaco-list-row').first().waitFor({ timeout: 60000 });
}

export async function openFile(name) {
  const row = page.locator('.quick-input-list .monaco-list-row', { hasText: name }).first();
  await until(
    async () => {
      await page.keyboard.press('Control+P');
      await page.locator('.quick-input-widget input').first().fill(name, { timeout: 4000 }).catch(() => {});
    },
    (timeout) => row.waitFor({ timeout }),
  );
  await row.click();
  await page.locator('.tab.active', { hasText: name }).waitFor();
  await focused.waitFor();
}

/** Puts the cursor at the beginning of a line. */
export async function goToLine(line) {
  const field = page.locator('.quick-input-widget input').first();
  await until(() => page.keyboard.press('Control+G'), (timeout) => field.waitFor({ timeout }));
  await field.fill(`:${line}`);
  await page.keyboard.press('Enter');
  await focused.waitFor();
}

/** Runs a command of the palette. */
export async function command(title) {
  const row = page.locator('.quick-input-list .monaco-list-row', { hasText: title }).first();
  await until(
    async () => {
      await page.keyboard.press('F1');
      await page.locator('.quick-input-widget input').first().fill(`>${title}`, { timeout: 4000 }).catch(() => {});
    },
    (timeout) => row.waitFor({ timeout }),
  );
  await row.click();
}

/** A message in the corner that holds a text. */
export async function told(text) {
  const message = messages.filter({ hasText: text }).first();
  await message.waitFor({ timeout: 60000 });
  return message.innerText();
}

/** Chooses from the menu behind the status item; its entries. */
export async function choose(entry) {
  const rows = page.locator('.quick-input-list .monaco-list-row');
  const row = rows.filter({ hasText: entry });
  await until(() => statusItem.click(), (timeout) => row.waitFor({ timeout }));
  const entries = await rows.allInnerTexts();
  await picture('menu');
  await row.click();
  return entries;
}

/** What the status item says of itself, once that holds a text. */
export async function tooltip(wanted) {
  const box = page.locator('.monaco-hover:visible', { hasText: wanted }).first();
  await until(
    async () => {
      await page.mouse.move(640, 300);
      await statusItem.hover();
    },
    (timeout) => box.waitFor({ timeout }),
  );
  const text = await box.innerText();
  await picture('tooltip');
  await page.mouse.move(640, 300);
  await box.waitFor({ state: 'hidden' });
  return text;
}

export async function backToText() {
  await page.keyboard.press('Control+1');
  await focused.waitFor();
}

/** Types at the end of the document, one key at a time. */
export async function typeAtEnd(text) {
  await page.keyboard.press('Control+End');
  await page.keyboard.type(text, { delay: 10 });
}

export async function save() {
  await page.keyboard.press('Control+S');
  await page.locator('.tab.active.dirty').waitFor({ state: 'detached' });
}

/** The editor's text as it is shown, a line a string; the window is high enough for all of the sample's lines. */
export function shownLines() {
  return page.evaluate(() => {
    const lines = [...document.querySelectorAll('.editor-instance .view-line')];
    const top = (line) => Number.parseFloat(line.style.top);
    return lines.sort((one, other) => top(one) - top(other)).map((line) => line.textContent.replaceAll('\u00a0', ' '));
  });
}

/** Waits until a text is shown in the editor. */
export function shown(text) {
  return page.waitForFunction(
    (wanted) =>
      [...document.querySelectorAll('.editor-instance .view-line')]
        .some((line) => line.textContent.replaceAll('\u00a0', ' ').includes(wanted)),
    text,
  );
}

/** The middle of a text in the editor, in pixels of the page. */
export async function middleOf(text) {
  await shown(text);
  return page.evaluate((wanted) => {
    for (const line of document.querySelectorAll('.editor-instance .view-line')) {
      const start = line.textContent.replaceAll('\u00a0', ' ').indexOf(wanted);
      if (start < 0) continue;
      const target = start + Math.floor(wanted.length / 2);
      const walker = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
      for (let passed = 0, node = walker.nextNode(); node; passed += node.length, node = walker.nextNode()) {
        if (target >= passed + node.length) continue;
        const range = document.createRange();
        range.setStart(node, target - passed);
        range.setEnd(node, target - passed + 1);
        const box = range.getBoundingClientRect();
        return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
      }
    }
    throw new Error(`${wanted} is not shown`);
  }, text);
}

/** Points at a text, and waits for a hover that holds another one. */
export async function hover(text, wanted) {
  const box = page.locator('.monaco-hover:visible', { hasText: wanted }).first();
  await until(
    async () => {
      const { x, y } = await middleOf(text);
      await page.mouse.move(x + 60, y + 160);
      await page.mouse.move(x, y, { steps: 5 });
    },
    (timeout) => box.waitFor({ timeout }),
  );
  return box.innerText();
}

export async function leaveHover() {
  await page.mouse.move(700, 700);
  await page.keyboard.press('Escape');
  await page.locator('.monaco-hover:visible').first().waitFor({ state: 'hidden' });
}

/** The texts of the rows of the problems panel, once one of them holds a text. */
export async function problems(text) {
  const panel = page.locator('.markers-panel');
  if (!(await panel.isVisible())) {
    await until(() => page.keyboard.press('Control+Shift+M'), (timeout) => panel.waitFor({ timeout }));
  }
  await panel.locator('.monaco-list-row', { hasText: text }).first().waitFor();
  return panel.locator('.monaco-list-row').allInnerTexts();
}

export async function closeProblems() {
  await page.keyboard.press('Control+J');
  await page.locator('.markers-panel').waitFor({ state: 'hidden' });
  await backToText();
}

/** Opens the quick fixes at a citation and applies the one whose title holds a text; the titles there were. */
export async function applyQuickFix(citation, title) {
  const { x, y } = await middleOf(citation);
  await page.mouse.click(x, y);
  await page.mouse.move(700, 700);
  const rows = page.locator('.action-widget .monaco-list-row');
  const row = rows.filter({ hasText: title }).first();
  await until(() => page.keyboard.press('Control+.'), (timeout) => row.waitFor({ timeout }));
  const titles = await rows.allInnerTexts();
  await picture('quick-fixes');
  await row.click();
  return titles.map((text) => text.trim()).filter(Boolean);
}
