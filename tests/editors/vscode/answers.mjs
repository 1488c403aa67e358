// What the judge says, as a person reads it: node answers.mjs SETUP.json (see window.mjs). The document is the sample's
// docs/answers.md; `wrong` are the citations that the judge flags, in the order of the text.
import {
  finish, hover, leaveHover, openFile, openWorkspace, page, picture, problems, save, setup, shownLines, statusItem, step,
  typeAtEnd,
} from './window.mjs';

const warnings = page.locator('.squiggly-warning');

await step('answers-opened', async () => {
  await openWorkspace();
  await openFile('answers.md');
  await statusItem.waitFor({ timeout: 60000 });
  await page.keyboard.press('Control+B');
  await page.locator('.explorer-folders-view').waitFor({ state: 'hidden' });
  return { underlined: await warnings.count(), lines: await shownLines() };
});

await step('answers-judged', async () => {
  await typeAtEnd('\nMore answers will come.');
  await save();
  await warnings.first().waitFor({ timeout: 40000 });
  await page.waitForFunction((count) => document.querySelectorAll('.squiggly-warning').length >= count, 3);
  const rows = await problems('MAX_CALLERS');
  await page.locator('.notification-toast').waitFor({ state: 'hidden' }).catch(() => {});
  await picture('vscode-judge');
  return { underlined: await warnings.count(), hints: await page.locator('.squiggly-info').count(), rows };
});

await step('answers-hovers', async () => {
  await page.keyboard.press('Control+J');
  const told = [];
  for (const [citation, wanted] of setup.hovers) {
    told.push(await hover(citation, wanted));
    await picture(`answers-hover-${told.length}`);
    await leaveHover();
  }
  return told;
});

await finish();
