/** What `WorkspaceConfiguration.inspect` says of one setting, as far as it matters here. */
export interface Inspected {
  readonly globalValue?: unknown;
  readonly workspaceValue?: unknown;
  readonly workspaceFolderValue?: unknown;
}

/** The settings of one resource, under `cite-lsp`. */
export interface Configuration {
  get(row: string): unknown;
  inspect(row: string): Inspected | undefined;
}

export type Tree = { [key: string]: unknown };

/** Settings that only this client reads. */
const CLIENTS_OWN: ReadonlySet<string> = new Set(["server.path", "trace.server"]);

/** The server's rows among the contributed settings, as dotted names without `cite-lsp.`. */
export function serverRows(contributed: Iterable<string>): string[] {
  return [...contributed].map((name) => name.replace(/^cite-lsp\./, "")).filter((name) => !CLIENTS_OWN.has(name));
}

/**
 * The tree of what somebody has set. Defaults are left out: an editor's settings outrank the project's file, so
 * sending VS Code's defaults would undo that file.
 */
export function chosenTree(rows: readonly string[], configuration: Configuration): Tree {
  const tree: Tree = {};
  for (const row of rows) {
    if (isSet(configuration.inspect(row))) {
      place(tree, row.split("."), configuration.get(row));
    }
  }
  return tree;
}

function isSet(inspected: Inspected | undefined): boolean {
  const { globalValue, workspaceValue, workspaceFolderValue } = inspected ?? {};
  return globalValue !== undefined || workspaceValue !== undefined || workspaceFolderValue !== undefined;
}

function place(tree: Tree, [key, ...rest]: string[], value: unknown): void {
  if (key === undefined) {
    return;
  }
  if (rest.length === 0) {
    tree[key] = value;
    return;
  }
  const branch = (tree[key] ?? {}) as Tree;
  tree[key] = branch;
  place(branch, rest, value);
}
