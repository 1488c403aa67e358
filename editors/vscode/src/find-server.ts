import * as posix from "node:path/posix";
import * as win32 from "node:path/win32";

/** What the search asks of the machine and of the editor. Paths are the machine's own. */
export interface World {
  readonly windows: boolean;
  readonly home: string;
  /** The setting `cite-lsp.server.path`, empty when nobody set it. */
  readonly setting: string;
  /** Whether programs of the workspace may be run. */
  readonly trusted: boolean;
  readonly folders: readonly string[];
  /** The environment variable PATH. */
  readonly searchPath: string;
  /** The folder of the environment that this extension installs. */
  readonly ownEnvironment: string;
  /** The interpreter that the Python extension has chosen for a folder, when that extension is there. */
  interpreter(folder: string | undefined): Promise<string | undefined>;
  isProgram(path: string): Promise<boolean>;
}

export type Found =
  | { readonly kind: "found"; readonly command: string; readonly by: "setting" | "workspace" | "PATH" | "installed" }
  | { readonly kind: "wrong-setting"; readonly setting: string }
  | { readonly kind: "absent" };

/**
 * The server's program: the setting, the workspace's environment (only where the workspace is trusted, since it is
 * a program of the workspace), PATH, the environment that this extension has installed. A setting that leads to
 * no program is an answer of its own: the person meant that one, so no other is run in its place.
 */
export async function findServer(world: World): Promise<Found> {
  if (world.setting.trim() !== "") {
    return bySetting(world, world.setting.trim());
  }
  const inWorkspace = world.trusted ? await first(world, await workspacePrograms(world)) : undefined;
  if (inWorkspace !== undefined) {
    return { kind: "found", command: inWorkspace, by: "workspace" };
  }
  const onPath = await first(world, pathPrograms(world, program(world)));
  if (onPath !== undefined) {
    return { kind: "found", command: onPath, by: "PATH" };
  }
  const installed = environmentProgram(world, world.ownEnvironment);
  return (await world.isProgram(installed))
    ? { kind: "found", command: installed, by: "installed" }
    : { kind: "absent" };
}

/** The program `cite-lsp` of a virtual environment. */
export function environmentProgram(world: Pick<World, "windows">, environment: string): string {
  return paths(world).join(environment, world.windows ? "Scripts" : "bin", program(world));
}

async function bySetting(world: World, setting: string): Promise<Found> {
  const expanded = /^~[/\\]/.test(setting) ? paths(world).join(world.home, setting.slice(2)) : setting;
  const bare = !/[/\\]/.test(expanded);
  const candidates = paths(world).isAbsolute(expanded) ? [expanded] : bare ? pathPrograms(world, expanded) : [];
  const command = await first(world, candidates);
  return command === undefined ? { kind: "wrong-setting", setting } : { kind: "found", command, by: "setting" };
}

async function workspacePrograms(world: World): Promise<string[]> {
  const found: string[] = [];
  const folders = world.folders.length > 0 ? world.folders : [undefined];
  for (const folder of folders) {
    const interpreter = await world.interpreter(folder);
    if (interpreter !== undefined && paths(world).isAbsolute(interpreter)) {
      const beside = paths(world).dirname(interpreter);
      found.push(paths(world).join(beside, program(world)));
      found.push(...(world.windows ? [environmentProgram(world, beside)] : []));
    }
  }
  for (const folder of world.folders) {
    found.push(...[".venv", "venv"].map((name) => environmentProgram(world, paths(world).join(folder, name))));
  }
  return found;
}

/** A relative entry of PATH would be the workspace's, and so would an absolute one inside it. */
function pathPrograms(world: World, name: string): string[] {
  return world.searchPath
    .split(paths(world).delimiter)
    .filter((entry) => paths(world).isAbsolute(entry))
    .filter((entry) => world.trusted || !world.folders.some((folder) => isInside(world, entry, folder)))
    .map((entry) => paths(world).join(entry, name));
}

function isInside(world: World, path: string, folder: string): boolean {
  const way = paths(world).relative(folder, path);
  return way === "" || (way.split(/[/\\]/)[0] !== ".." && !paths(world).isAbsolute(way));
}

async function first(world: World, candidates: readonly string[]): Promise<string | undefined> {
  for (const candidate of candidates) {
    if (await world.isProgram(candidate)) {
      return candidate;
    }
  }
  return undefined;
}

function program(world: Pick<World, "windows">): string {
  return world.windows ? "cite-lsp.exe" : "cite-lsp";
}

function paths(world: Pick<World, "windows">): typeof posix {
  return world.windows ? win32 : posix;
}
