import assert from "node:assert/strict";
import { test } from "node:test";
import { Crashes } from "../src/crashes.ts";

test("the fifth crash within three minutes is the last", () => {
  let now = 0;
  const crashes = new Crashes(() => now);
  for (let crash = 0; crash < 4; crash++) {
    assert.notEqual(crashes.next(), undefined);
    now += 1000;
  }
  assert.equal(crashes.next(), undefined);
});

test("old crashes are forgotten, and so are all when somebody starts it again", () => {
  let now = 0;
  const crashes = new Crashes(() => now);
  for (let crash = 0; crash < 20; crash++) {
    assert.notEqual(crashes.next(), undefined, `crash ${crash}`);
    now += 60_000;
  }
  now += 1;
  [1, 2, 3, 4, 5].forEach(() => crashes.next());
  assert.equal(crashes.next(), undefined);
  crashes.forget();
  assert.equal(crashes.next(), 200);
});
