// A repair that a model proposes: node repair.mjs SETUP.json (see window.mjs). The model's first proposal is none that
// the judge supports, its second one is.
import fs from 'node:fs';
import path from 'node:path';
import {
  applyQuickFix, finish, messages, openFile, openWorkspace, page, picture, save, setup, shown, shownLines, statusItem,
  step, typeAtEnd,
} from './window.mjs';

const DOCUMENT = path.join(setup.workspace, 'docs', 'limits.md');
const warnings = page.locator('.squiggly-warning').first();

const bell = page.locator('[id="status.notifications"]');

/** Asks for the repair, and waits for the question that comes of it; VS Code puts it away after some seconds. */
async function request(word) {
  const titles = await applyQuickFix('src/retry.py:3', 'Request repair');
  const question = messages.filter({ hasText: word }).first();
  try {
    await question.waitFor({ timeout: 20000 });
  } catch {
    await bell.click();
    console.error(`told instead: ${(await messages.allInnerTexts()).join('; ')}`);
    await question.waitFor({ timeout: 60000 });
  }
  return { titles, question };
}

await step('repair-before', async () => {
  await openWorkspace();
  await openFile('limits.md');
  await statusItem.waitFor({ timeout: 60000 });
  await typeAtEnd('More to come.\n');
  await save();
  await warnings.waitFor({ timeout: 40000 });
});

await step('repair-still-unsupported', async () => {
  const { titles, question } = await request('Still unsupported');
  const told = await question.innerText();
  await picture('repair-question');
  await question.getByRole('button', { name: 'Discard' }).click();
  await question.waitFor({ state: 'detached' });
  return { titles, told, lines: await shownLines(), saved: fs.readFileSync(DOCUMENT, 'utf8') };
});

await step('repair-supported', async () => {
  const { question } = await request('This is supported');
  return { told: await question.innerText(), lines: await shownLines() };
});

await step('repair-applied', async () => {
  await messages.getByRole('button', { name: 'Apply' }).first().click();
  await shown(setup.right);
  await save();
  await warnings.waitFor({ state: 'detached', timeout: 40000 });
  return { lines: await shownLines(), saved: fs.readFileSync(DOCUMENT, 'utf8') };
});

await finish();
