import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { examine } from "../src/doctor.ts";

const folder = mkdtempSync(join(tmpdir(), "doctor-"));
const posix = { skip: process.platform === "win32" };

function program(name: string, script: string): string {
  const path = join(folder, name);
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  return path;
}

test("what is found is given, though something be wrong, with the hosts that there are keys for", posix, async () => {
  const found = program("found", 'echo "$@"; exit 1');
  assert.equal(
    await examine(found, "/work", folder, ["b.example", "a.example"]),
    "doctor --no-color /work\n\nkeys that this editor keeps: for a.example, b.example",
  );
  assert.ok((await examine(found, "/work", folder, [])).endsWith("keys that this editor keeps: none"));
});

test("a program that says nothing is an error with its reason", posix, async () => {
  const silent = program("silent", 'echo "No such command: doctor" >&2; exit 2');
  await assert.rejects(examine(silent, "/work", folder, []), /No such command: doctor/);
  await assert.rejects(examine(join(folder, "nowhere"), "/work", folder, []), /ENOENT/);
});
