import assert from "node:assert/strict";
import { test } from "node:test";
import { inOneLine, isLacking, type PolicyRun } from "../src/policies.ts";

const ran = (more: Partial<PolicyRun> = {}): PolicyRun => ({
  policy: "style",
  passages: 9,
  unchecked: 0,
  found: 0,
  review: 0,
  why: null,
  ...more,
});
const line = (policies: PolicyRun[], refused: string[] = [], cancelled = false) =>
  inOneLine({ policies, refused, cancelled });

test("a run of one policy has its name, of several their number", () => {
  assert.equal(line([ran({ found: 1 })]), "style: 9 passages, 1 finding");
  assert.equal(
    line([ran({ found: 2, review: 1 }), ran({ policy: "logs", passages: 1 })]),
    "2 policies: 10 passages, 2 findings, 1 to look at",
  );
});

test("nothing found and nothing to ask about are said as such", () => {
  assert.equal(line([ran()]), "style: 9 passages, nothing found");
  assert.equal(line([ran({ passages: 0 })]), "style: 0 passages");
});

test("what was not checked is not counted among what was, and why is said", () => {
  const why = "the server answers 500";
  assert.equal(
    line([ran({ unchecked: 2, found: 1, why })]),
    "style: 2 of 9 passages not checked, 1 finding (the server answers 500)",
  );
  const nobody = ran({ unchecked: 9, why });
  assert.equal(line([nobody]), "style: 9 of 9 passages not checked (the server answers 500)");
  assert.ok(!line([nobody]).includes("nothing found"));
  assert.ok(isLacking({ policies: [nobody], refused: [], cancelled: false }));
  assert.ok(!isLacking({ policies: [ran({ found: 3 })], refused: [], cancelled: false }));
});

test("a run that was ended and policy files that are faulty are said", () => {
  assert.equal(
    line([ran({ unchecked: 8, why: "the run was ended before this was asked" })], [], true),
    "stopped; style: 8 of 9 passages not checked, nothing found in the others (the run was ended before this was asked)",
  );
  const refused = ["policies/x.toml"];
  assert.equal(line([ran()], refused), "style: 9 passages, nothing found; policies/x.toml is faulty, so it is not asked");
  assert.ok(isLacking({ policies: [ran()], refused, cancelled: false }));
});
