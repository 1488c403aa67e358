import assert from "node:assert/strict";
import * as fs from "node:fs";
import { test } from "node:test";
import { chosenTree, type Inspected, serverRows } from "../src/settings.ts";

const manifest = JSON.parse(fs.readFileSync(new URL("../package.json", import.meta.url), "utf8"));
const contributed: Record<string, { default: unknown }> = manifest.contributes.configuration.properties;
const rows = serverRows(Object.keys(contributed));

/** A configuration in which VS Code knows every default, and somebody has set what is given. */
function configuration(set: Record<string, Inspected>) {
  return {
    inspect: (row: string) => ({ defaultValue: contributed[`cite-lsp.${row}`]?.default, ...set[row] }),
    get: (row: string) => {
      const { globalValue, workspaceValue, workspaceFolderValue } = set[row] ?? {};
      return workspaceFolderValue ?? workspaceValue ?? globalValue ?? contributed[`cite-lsp.${row}`]?.default;
    },
  };
}

test("defaults are not sent", () => {
  assert.deepEqual(chosenTree(rows, configuration({})), {});
});

test("what somebody set is sent as a tree, the nearest value first", () => {
  const set = {
    "judge.run": { globalValue: "manual" },
    rules: { workspaceValue: { "blank-line": "off" } },
    "files.exclude": { globalValue: ["a/**"], workspaceFolderValue: ["b/**"] },
    "files.max_bytes": { workspaceValue: 1000 },
  };
  assert.deepEqual(chosenTree(rows, configuration(set)), {
    files: { exclude: ["b/**"], max_bytes: 1000 },
    rules: { "blank-line": "off" },
    judge: { run: "manual" },
  });
});

test("a value that equals the default is sent when somebody wrote it", () => {
  const set = { "drift.enabled": { workspaceValue: true }, "anchors.in_fences": { globalValue: false } };
  assert.deepEqual(chosenTree(rows, configuration(set)), { anchors: { in_fences: false }, drift: { enabled: true } });
});

test("the client's own settings are no rows of the server", () => {
  assert.ok(!rows.includes("server.path") && !rows.includes("trace.server"));
  assert.ok(rows.includes("server.max_diagnostics") && rows.includes("rules"));
});
