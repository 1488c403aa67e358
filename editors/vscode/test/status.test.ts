import assert from "node:assert/strict";
import { test } from "node:test";
import { type Counts, view } from "../src/status.ts";

const counts: Counts = {
  documents: 3,
  anchors: 12,
  findings: 2,
  judged: 10,
  unchecked: 2,
  queued: 0,
  judge: "embedded/2",
  requests: 0,
  tokensIn: 0,
  tokensOut: 0,
  declined: 0,
  indexing: false,
  lastError: null,
};

const running = (change: Partial<Counts>) => view({ kind: "running", counts: { ...counts, ...change } });

test("each state has its text", () => {
  assert.match(view({ kind: "starting" }).text, /starting$/);
  assert.equal(view({ kind: "running", counts: undefined }).text, "cite-lsp: ready");
  assert.equal(running({}).text, "cite-lsp: 12 citations, 2 findings");
  assert.equal(running({ anchors: 1, findings: 1 }).text, "cite-lsp: 1 citation, 1 finding");
  assert.match(running({ indexing: true, queued: 3 }).text, /indexing$/);
  assert.match(running({ queued: 3 }).text, /judging 3$/);
  assert.equal(view({ kind: "stopped", why: "why" }).level, "error");
});

test("the tooltip says what was asked elsewhere, and what was not", () => {
  const { tooltip } = running({ requests: 1, tokensIn: 1200, tokensOut: 80, declined: 3 });
  assert.ok(tooltip.includes("1 request, 1200 tokens sent, 80 received"), tooltip);
  assert.ok(tooltip.includes("3 citations not asked: the limits of the day"), tooltip);
  assert.ok(!running({}).tooltip.includes("request"));
});

test("the tooltip says what is undecided, the judge and the last error", () => {
  const { tooltip, level } = running({ lastError: "the worker was lost" });
  assert.equal(level, "warning");
  for (const part of ["3 documents", "10 decided, 2 undecided, 0 queued", "embedded/2", "the worker was lost"]) {
    assert.ok(tooltip.includes(part), `${part} in ${tooltip}`);
  }
});

test("the tooltip says what policies did not check, and why, once they were asked", () => {
  const told = running({ policies: { passages: 9, unchecked: 2, why: "the model left questions unanswered" } }).tooltip;
  assert.ok(told.includes("7 of 9 passages checked by policies, 2 not checked: the model left questions unanswered"), told);
  const all = running({ policies: { passages: 1, unchecked: 0, why: null } }).tooltip;
  assert.ok(all.includes("1 of 1 passage checked by policies"), all);
  assert.ok(!running({}).tooltip.includes("policies"));
});
