// A judge elsewhere that wants a key, from the first steps on: node judging.mjs SETUP.json (see window.mjs; also `host`,
// whose key it is, and `key`).
import {
  choose, command, finish, messages, openFile, openWorkspace, page, picture, setup, statusItem, step, told, tooltip, until,
} from './window.mjs';

const field = page.locator('.quick-input-widget input').first();

/** Gives a key by the palette; an empty one takes it away. */
async function giveKey(key, done) {
  await command('Set API Key');
  await page.locator('.quick-input-widget', { hasText: 'the server that the key is for' }).waitFor();
  await field.fill('no host at all');
  await page.locator('.quick-input-message', { hasText: 'This is no host' }).waitFor();
  await field.fill(setup.host);
  await page.keyboard.press('Enter');
  await page.locator('.quick-input-widget', { hasText: 'Kept by VS Code' }).waitFor();
  const hidden = await field.getAttribute('type');
  await field.fill(key);
  await picture('key');
  await page.keyboard.press('Enter');
  const message = await told(done);
  await statusItem.filter({ hasText: /\d+ citations?/ }).waitFor();
  return { hidden, message };
}

async function quiet() {
  await command('Notifications: Clear All Notifications');
  await messages.first().waitFor({ state: 'detached' });
}

await step('opened', async () => {
  await openWorkspace();
  await openFile('limits.md');
  await statusItem.filter({ hasText: /\d+ citations?/ }).waitFor({ timeout: 60000 });
});

await step('walkthrough', async () => {
  await page.keyboard.press('Control+B'); // without the explorer there is room for the pictures
  await page.locator('.explorer-folders-view').waitFor({ state: 'hidden' });
  await command('cite-lsp: Get Started');
  const steps = page.locator('.gettingStartedContainer .getting-started-step');
  await steps.first().waitFor();
  const titles = await steps.locator('.step-title').allInnerTexts();
  for (const [number, title] of titles.entries()) {
    await steps.nth(number).locator('.step-title').click();
    await page.locator('.getting-started-step.expanded', { hasText: title }).waitFor();
    await page.waitForTimeout(600); // the picture beside it is another window's
    await picture(`walkthrough-${number + 1}`);
  }
  await page.keyboard.press('Control+B');
  return titles;
});

await step('without-key', async () => {
  await openFile('limits.md');
  const entries = await choose('Judge document');
  await statusItem.filter({ has: page.locator('.codicon-warning') }).waitFor({ timeout: 60000 });
  const messages_ = await messages.allInnerTexts();
  return { entries, messages: messages_, status: await tooltip('Last error') };
});

await step('key-kept', async () => {
  await quiet();
  return giveKey(setup.key, 'is kept');
});

await step('workspace-judged', async () => {
  await quiet();
  await choose('Judge workspace');
  const message = await told('documents,');
  return { message, status: await tooltip('request') };
});

await step('cache-cleared', async () => {
  await quiet();
  await command('Clear Cache of Verdicts');
  return told('forgotten');
});

await step('doctor', async () => {
  await command('Tell What Is Found');
  const lines = page.locator('.part.panel .view-line');
  await lines.filter({ hasText: 'keys that this editor keeps' }).first().waitFor({ timeout: 60000 });
  const said = await lines.allInnerTexts();
  await picture('doctor-said');
  await page.keyboard.press('Control+J');
  return said;
});

await step('key-still-there', async () => {
  await page.reload();
  await page.locator('.monaco-workbench').waitFor({ timeout: 60000 });
  await openFile('limits.md');
  await statusItem.filter({ hasText: /\d+ citations?/ }).waitFor({ timeout: 60000 });
  await choose('Judge document');
  return told('citations,');
});

await step('key-taken-away', async () => {
  await quiet();
  await giveKey('', 'is taken away');
  await quiet();
  await command('Clear Cache of Verdicts');
  await told('forgotten');
  await choose('Judge document');
  await statusItem.filter({ has: page.locator('.codicon-warning') }).waitFor({ timeout: 60000 });
  return tooltip('Last error');
});

await finish();
