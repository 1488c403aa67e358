import assert from "node:assert/strict";
import { test } from "node:test";
import { environmentOf, hostOf, keep, keysIn, type Secrets, VARIABLE } from "../src/keys.ts";

class Memory implements Secrets {
  readonly kept = new Map<string, string>();
  async get(name: string): Promise<string | undefined> {
    return this.kept.get(name);
  }
  async store(name: string, value: string): Promise<void> {
    this.kept.set(name, value);
  }
  async delete(name: string): Promise<void> {
    this.kept.delete(name);
  }
}

test("a host is taken out of what a person types", () => {
  const cases: [string, string | undefined][] = [
    ["api.openai.com", "api.openai.com"],
    [" API.example.org ", "api.example.org"],
    ["https://api.example.org/v1", "api.example.org"],
    ["https://api.example.org:443/v1", "api.example.org"],
    ["https://api.example.org:8443/v1", "api.example.org:8443"],
    ["http://localhost:8000/v1", "localhost:8000"],
    ["http://judge.lan/v1", "judge.lan:80"],
    ["localhost:8000", "localhost:8000"],
    ["http://[::1]:8000/v1", "[::1]:8000"],
    ["http://[::1]/v1", "[::1]:80"],
    ["https://[::1]/v1", "[::1]"],
    ["", undefined],
    ["https://", undefined],
    ["user:secret@api.example.org", undefined],
    ["two words", undefined],
  ];
  for (const [typed, host] of cases) {
    assert.equal(hostOf(typed), host, typed);
  }
});

test("keys are kept by host, and an empty one takes its host's away", async () => {
  const secrets = new Memory();
  assert.deepEqual(await keysIn(secrets), {});
  await keep(secrets, "api.example.org", "sk-one");
  await keep(secrets, "localhost:8000", "sk-two");
  await keep(secrets, "api.example.org", "sk-three");
  assert.deepEqual(await keysIn(secrets), { "api.example.org": "sk-three", "localhost:8000": "sk-two" });
  await keep(secrets, "localhost:8000", "");
  assert.deepEqual(await keysIn(secrets), { "api.example.org": "sk-three" });
  await keep(secrets, "api.example.org", "");
  assert.equal(secrets.kept.size, 0);
});

test("what is damaged counts as no keys", async () => {
  const secrets = new Memory();
  await secrets.store("cite-lsp.keys", "{");
  assert.deepEqual(await keysIn(secrets), {});
});

test("the server's environment has the keys, or nothing", () => {
  assert.deepEqual(environmentOf({}), {});
  assert.deepEqual(environmentOf({ "api.example.org": "sk" }), { [VARIABLE]: '{"api.example.org":"sk"}' });
});
