import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { entries } from "../src/menu.ts";
import type { Counts, State } from "../src/status.ts";

const counts: Counts = {
  documents: 1,
  anchors: 3,
  findings: 1,
  judged: 2,
  unchecked: 1,
  queued: 0,
  judge: "embedded/2",
  requests: 0,
  tokensIn: 0,
  tokensOut: 0,
  declined: 0,
  indexing: false,
  lastError: null,
};
const running: State = { kind: "running", counts };
const commands = (state: State, trusted = true) => entries(state, trusted).map(({ command }) => command);

test("the judge's state and the counts head the menu's parts", () => {
  const headings = entries(running, true).filter(({ command }) => command === undefined);
  assert.deepEqual(headings.map(({ label }) => label), [
    "Judge embedded/2: 2 decided, 1 undecided, 0 queued",
    "3 citations, 1 finding",
    "Server",
  ]);
});

test("where nothing runs, only what mends that is offered", () => {
  const stopped: State = { kind: "stopped", why: "There is no server to run.", absent: true };
  assert.deepEqual(commands(stopped), [
    undefined, "cite-lsp.install", "cite-lsp.openSettings", "cite-lsp.restart", "cite-lsp.doctor",
    "cite-lsp.showOutput",
  ]);
  assert.deepEqual(commands({ kind: "stopped", why: "It crashed." }), [
    undefined, "cite-lsp.restart", "cite-lsp.doctor", "cite-lsp.showOutput",
  ]);
});

test("keys are for trusted workspaces", () => {
  assert.ok(commands(running).includes("cite-lsp.setApiKey"));
  assert.ok(!commands(running, false).includes("cite-lsp.setApiKey"));
  assert.ok(commands({ kind: "starting" }).includes("cite-lsp.restart"));
});

test("each entry is a command that there is", () => {
  const { contributes } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
  const there = new Set([...contributes.commands.map((each: { command: string }) => each.command), "cite-lsp.openSettings"]);
  for (const state of [running, { kind: "stopped", why: "", absent: true } as const]) {
    for (const command of commands(state)) {
      assert.ok(command === undefined || there.has(command), command);
    }
  }
});
