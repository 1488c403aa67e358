import assert from "node:assert/strict";
import { test } from "node:test";
import { findServer, type World } from "../src/find-server.ts";

const OWN = "/home/a/storage/environment/bin/cite-lsp";

function world(programs: readonly string[], change: Partial<World> = {}): World {
  return {
    windows: false,
    home: "/home/a",
    setting: "",
    trusted: true,
    folders: ["/projects/one", "/projects/two"],
    searchPath: "/usr/local/bin:/usr/bin",
    ownEnvironment: "/home/a/storage/environment",
    interpreter: async () => undefined,
    isProgram: async (path) => programs.includes(path),
    ...change,
  };
}

const EVERYWHERE = ["/opt/x/cite-lsp", "/projects/one/.venv/bin/cite-lsp", "/usr/bin/cite-lsp", OWN];

test("the setting comes first, in a trusted workspace and in another", async () => {
  for (const trusted of [true, false]) {
    const found = await findServer(world(EVERYWHERE, { setting: "/opt/x/cite-lsp", trusted }));
    assert.deepEqual(found, { kind: "found", command: "/opt/x/cite-lsp", by: "setting" });
  }
});

test("a setting may start at the home folder, or be a name on PATH", async () => {
  const atHome = await findServer(world(["/home/a/bin/cite-lsp"], { setting: "~/bin/cite-lsp" }));
  assert.deepEqual(atHome, { kind: "found", command: "/home/a/bin/cite-lsp", by: "setting" });
  const named = await findServer(world(["/usr/bin/cite-lsp-next"], { setting: "cite-lsp-next" }));
  assert.deepEqual(named, { kind: "found", command: "/usr/bin/cite-lsp-next", by: "setting" });
});

test("a setting that leads nowhere is said, and nothing else is run in its place", async () => {
  for (const setting of ["/gone/cite-lsp", "bin/cite-lsp", "~other/cite-lsp"]) {
    assert.deepEqual(await findServer(world(EVERYWHERE, { setting })), { kind: "wrong-setting", setting });
  }
});

test("then the workspace's environment: the chosen interpreter, then .venv and venv of each folder", async () => {
  const chosen = { interpreter: async (folder?: string) => (folder === "/projects/two" ? "/envs/b/bin/python" : undefined) };
  const by = await findServer(world([...EVERYWHERE, "/envs/b/bin/cite-lsp"], chosen));
  assert.deepEqual(by, { kind: "found", command: "/envs/b/bin/cite-lsp", by: "workspace" });
  const found = await findServer(world(EVERYWHERE));
  assert.deepEqual(found, { kind: "found", command: "/projects/one/.venv/bin/cite-lsp", by: "workspace" });
  const second = await findServer(world(["/projects/two/venv/bin/cite-lsp"]));
  assert.deepEqual(second, { kind: "found", command: "/projects/two/venv/bin/cite-lsp", by: "workspace" });
});

test("conda keeps the interpreter of Windows beside Scripts, not in it", async () => {
  const windows = { windows: true, folders: ["C:\\projects"], interpreter: async () => "C:\\conda\\python.exe" };
  const found = await findServer(world(["C:\\conda\\Scripts\\cite-lsp.exe"], windows));
  assert.deepEqual(found, { kind: "found", command: "C:\\conda\\Scripts\\cite-lsp.exe", by: "workspace" });
});

test("an interpreter that is only a name is none", async () => {
  const found = await findServer(world(["cite-lsp"], { interpreter: async () => "python" }));
  assert.deepEqual(found, { kind: "absent" });
});

test("nothing of an untrusted workspace is run, not even by way of PATH or the Python extension", async () => {
  const searchPath = ".:bin:/projects/one/bin:/projects/two:/usr/bin";
  const programs = [...EVERYWHERE, "/projects/one/bin/cite-lsp", "/projects/two/cite-lsp", "cite-lsp", "bin/cite-lsp"];
  const asked: unknown[] = [];
  const interpreter = async (folder?: string) => void asked.push(folder);
  const found = await findServer(world(programs, { trusted: false, searchPath, interpreter: interpreter as never }));
  assert.deepEqual(found, { kind: "found", command: "/usr/bin/cite-lsp", by: "PATH" });
  assert.deepEqual(asked, []);
});

test("relative entries of PATH are passed over in a trusted workspace too", async () => {
  const found = await findServer(world(["cite-lsp", "/usr/bin/cite-lsp"], { searchPath: ".::/usr/bin" }));
  assert.deepEqual(found, { kind: "found", command: "/usr/bin/cite-lsp", by: "PATH" });
});

test("then the environment of this extension, then nothing", async () => {
  assert.deepEqual(await findServer(world([OWN])), { kind: "found", command: OWN, by: "installed" });
  assert.deepEqual(await findServer(world([])), { kind: "absent" });
});

test("on Windows the program is an .exe among Scripts", async () => {
  const windows = { windows: true, home: "C:\\Users\\a", folders: ["C:\\projects"], searchPath: "C:\\bin;.", ownEnvironment: "C:\\e" };
  const found = await findServer(world(["C:\\projects\\.venv\\Scripts\\cite-lsp.exe"], windows));
  assert.deepEqual(found, { kind: "found", command: "C:\\projects\\.venv\\Scripts\\cite-lsp.exe", by: "workspace" });
  const onPath = await findServer(world(["C:\\bin\\cite-lsp.exe"], { ...windows, trusted: false }));
  assert.deepEqual(onPath, { kind: "found", command: "C:\\bin\\cite-lsp.exe", by: "PATH" });
  const inside = { ...windows, trusted: false, searchPath: "c:\\PROJECTS\\bin" };
  assert.deepEqual(await findServer(world(["c:\\PROJECTS\\bin\\cite-lsp.exe"], inside)), { kind: "absent" });
});
