import * as fs from "node:fs/promises";
import * as os from "node:os";
import * as path from "node:path";
import * as vscode from "vscode";
import {
  CloseAction,
  DidChangeConfigurationNotification,
  ErrorAction,
  type LanguageClientOptions,
  LanguageClient,
  RevealOutputChannelOn,
} from "vscode-languageclient/node";
import { Crashes } from "./crashes.ts";
import { examine } from "./doctor.ts";
import { type Found, findServer, type World } from "./find-server.ts";
import { installServer } from "./install.ts";
import { environmentOf, keysIn } from "./keys.ts";
import { chosenTree, type Inspected, serverRows, type Tree } from "./settings.ts";
import type { Counts, State } from "./status.ts";

/** The library's client tells each failure in a box of its own; here each goes to the channel, and one box is ours. */
class QuietClient extends LanguageClient {
  override error(message: string, data?: unknown): void {
    super.error(message, data, false);
  }
}

const INSTALL = "Install";
const OPEN_SETTINGS = "Open settings";
const NOT_AGAIN = "Don't ask again";
/** Where it is kept that somebody does not want to be asked. */
const QUIET = "cite-lsp.not-installed.quiet";

/** The language server's life: found, started, started again after a crash, stopped. */
export class Server implements vscode.Disposable {
  /** The running client, for requests; undefined while there is none. */
  client: LanguageClient | undefined;

  private readonly states = new vscode.EventEmitter<State>();
  readonly onState = this.states.event;
  private readonly crashes = new Crashes();
  private readonly rows: readonly string[];
  private current: LanguageClient | undefined;
  private counts: Counts | undefined;
  private shown: State = { kind: "starting" };
  private work: Promise<void> = Promise.resolve();
  private again: NodeJS.Timeout | undefined;

  private readonly context: vscode.ExtensionContext;
  private readonly channel: vscode.LogOutputChannel;

  constructor(context: vscode.ExtensionContext, channel: vscode.LogOutputChannel) {
    this.context = context;
    this.channel = channel;
    const { contributes } = context.extension.packageJSON as { contributes: Contributes };
    this.rows = serverRows(Object.keys(contributes.configuration.properties));
  }

  /** What the status item shows. */
  get state(): State {
    return this.shown;
  }

  /** Stops what runs and starts anew; calls wait for one another. */
  restart(): Promise<void> {
    this.crashes.forget();
    return this.enqueue(async () => {
      await this.halt();
      await this.begin();
    });
  }

  stop(): Promise<void> {
    return this.enqueue(() => this.halt());
  }

  dispose(): void {
    this.states.dispose();
  }

  /** Tells the server that settings have changed; it asks for what it needs. */
  async settingsChanged(): Promise<void> {
    await this.client?.sendNotification(DidChangeConfigurationNotification.type, { settings: null });
  }

  /** Makes the environment of this extension's own, with the server in it, and starts that. */
  async install(): Promise<void> {
    if (await installServer(this.environment, this.channel)) {
      await this.restart();
    }
  }

  /** Writes to the channel what the program finds of a folder: settings and where they came from, judge, keys. */
  async examine(): Promise<void> {
    const found = await findServer(this.world());
    if (found.kind !== "found") {
      await this.offer(found);
      return;
    }
    await fs.mkdir(this.folder, { recursive: true });
    const folder = this.world().folders[0] ?? this.folder;
    try {
      const hosts = Object.keys(await keysIn(this.context.secrets));
      this.channel.info(await examine(found.command, folder, this.folder, hosts));
    } catch (error) {
      this.channel.error(`${error instanceof Error ? error.message : error}`);
    }
    this.channel.show();
  }

  private show(state: State): void {
    this.shown = state;
    this.states.fire(state);
  }

  private running(): State {
    return { kind: "running", counts: this.counts, limited: !vscode.workspace.isTrusted };
  }

  private enqueue(step: () => Promise<void>): Promise<void> {
    this.work = this.work.then(step).catch((error: unknown) => this.channel.error(`${error}`));
    return this.work;
  }

  private async halt(): Promise<void> {
    clearTimeout(this.again);
    const client = this.current;
    this.current = this.client = undefined;
    await client?.dispose().catch((error: unknown) => this.channel.warn(`${error}`));
  }

  private async begin(): Promise<void> {
    this.show({ kind: "starting" });
    const found = await findServer(this.world());
    if (found.kind !== "found") {
      this.show({ kind: "stopped", why: "There is no server to run.", absent: true });
      void this.offer(found);
      return;
    }
    this.channel.info(`server: ${found.command} (${found.by})`);
    await fs.mkdir(this.folder, { recursive: true });
    const client = this.make(found.command, await this.keys());
    this.current = client;
    this.counts = undefined;
    try {
      await client.start();
      this.client = client;
      this.show(this.running());
    } catch (error) {
      this.channel.error(`${error}`);
      this.lost(client);
    }
  }

  /** Where the workspace is not trusted, nobody is asked who would need a key. */
  private async keys(): Promise<Record<string, string>> {
    return vscode.workspace.isTrusted ? environmentOf(await keysIn(this.context.secrets)) : {};
  }

  private make(command: string, keys: Record<string, string>): LanguageClient {
    // Not in the workspace's folder: what lies there is nobody's to import. Keys go by the environment, since settings
    // and initializationOptions are written to the log of the talk with the server.
    const environment = { ...process.env, PYTHONSAFEPATH: "1", ...keys };
    const args = ["serve", "--stdio", "--clientProcessId", String(process.pid)];
    const executable = { command, args, options: { cwd: this.folder, env: environment } };
    const client = new QuietClient("cite-lsp", "cite-lsp", executable, this.options(() => this.lost(client)));
    client.onNotification("cite-lsp/status", (counts: Counts) => {
      if (this.current === client) {
        this.counts = counts;
        this.show(this.running());
      }
    });
    return client;
  }

  private options(closed: () => void): LanguageClientOptions {
    return {
      documentSelector: [{ scheme: "file" }, { scheme: "untitled" }],
      outputChannel: this.channel,
      revealOutputChannelOn: RevealOutputChannelOn.Never,
      initializationOptions: () => ({ ...this.settings(undefined), trusted: vscode.workspace.isTrusted }),
      initializationFailedHandler: () => false,
      errorHandler: {
        error: () => ({ action: ErrorAction.Continue, handled: true }),
        closed: () => {
          closed();
          return { action: CloseAction.DoNotRestart, handled: true };
        },
      },
      middleware: {
        // The server names the document, which VS Code does beside it; several citations of the same lines in one
        // document differ by where they stand.
        provideWorkspaceSymbols: async (query, token, next) => {
          const found = await next(query, token);
          for (const symbol of found ?? []) {
            symbol.containerName = `line ${symbol.location.range.start.line + 1}`;
          }
          return found;
        },
        workspace: {
          configuration: (params) =>
            params.items.map(({ section, scopeUri }) =>
              section === "cite-lsp" ? this.settings(scopeUri ? vscode.Uri.parse(scopeUri) : undefined) : null,
            ),
          // Said by settingsChanged, once, whatever the server has registered for.
          didChangeConfiguration: async () => {},
        },
      },
    };
  }

  private settings(resource: vscode.Uri | undefined): Tree {
    const configuration = vscode.workspace.getConfiguration("cite-lsp", resource ?? null);
    return chosenTree(this.rows, {
      get: (row) => configuration.get(row),
      inspect: (row) => configuration.inspect(row) as Inspected | undefined,
    });
  }

  /** The server has ended though nobody asked it to. */
  private lost(client: LanguageClient): void {
    if (this.current !== client) {
      return;
    }
    this.current = this.client = undefined;
    const pause = this.crashes.next();
    if (pause === undefined) {
      this.show({ kind: "stopped", why: "The server crashed five times in three minutes." });
      void this.tellCrashes();
      return;
    }
    this.show({ kind: "starting" });
    this.again = setTimeout(() => void this.enqueue(() => this.begin()), pause);
  }

  private async tellCrashes(): Promise<void> {
    const message = "The cite-lsp server crashed five times in three minutes and was not started again.";
    const answer = await vscode.window.showErrorMessage(message, "Show output", "Restart");
    if (answer === "Show output") {
      this.channel.show();
    } else if (answer === "Restart") {
      await this.restart();
    }
  }

  /** Says once a window that there is no server, and never again to whoever has had enough of it. */
  private async offer(found: Exclude<Found, { kind: "found" }>): Promise<void> {
    const wrong = found.kind === "wrong-setting";
    if (!wrong && this.context.globalState.get(QUIET, false)) {
      return;
    }
    const message = wrong
      ? `cite-lsp.server.path: there is no program at ${found.setting}`
      : "cite-lsp is not installed.";
    const answers = wrong ? [OPEN_SETTINGS] : [INSTALL, OPEN_SETTINGS, NOT_AGAIN];
    const answer = await vscode.window.showWarningMessage(message, ...answers);
    if (answer === OPEN_SETTINGS) {
      await vscode.commands.executeCommand("cite-lsp.openSettings");
    } else if (answer === INSTALL) {
      await this.install();
    } else if (answer === NOT_AGAIN) {
      await this.context.globalState.update(QUIET, true);
    }
  }

  private world(): World {
    const setting = vscode.workspace.getConfiguration("cite-lsp").get<string>("server.path", "");
    const folders = (vscode.workspace.workspaceFolders ?? []).filter((folder) => folder.uri.scheme === "file");
    return {
      windows: process.platform === "win32",
      home: os.homedir(),
      setting,
      trusted: vscode.workspace.isTrusted,
      folders: folders.map((folder) => folder.uri.fsPath),
      searchPath: process.env["PATH"] ?? "",
      ownEnvironment: this.environment,
      interpreter,
      isProgram,
    };
  }

  private get folder(): string {
    return this.context.globalStorageUri.fsPath;
  }

  private get environment(): string {
    return path.join(this.folder, "environment");
  }
}

interface Contributes {
  readonly configuration: { readonly properties: Readonly<Record<string, unknown>> };
}

/** The part of the Python extension's public interface that is used here. */
interface PythonExtension {
  readonly environments: { getActiveEnvironmentPath(resource?: vscode.Uri): { readonly path: string } };
}

async function interpreter(folder: string | undefined): Promise<string | undefined> {
  const extension = vscode.extensions.getExtension<PythonExtension>("ms-python.python");
  try {
    const python = await Promise.race([extension?.activate(), patience(5000)]);
    const resource = folder === undefined ? undefined : vscode.Uri.file(folder);
    return python?.environments.getActiveEnvironmentPath(resource).path;
  } catch {
    return undefined;
  }
}

/** Another extension may take its time to start; this one does not wait for ever. */
function patience(milliseconds: number): Promise<undefined> {
  return new Promise((resolve) => setTimeout(() => resolve(undefined), milliseconds));
}

async function isProgram(file: string): Promise<boolean> {
  try {
    await fs.access(file, fs.constants.X_OK);
    return (await fs.stat(file)).isFile();
  } catch {
    return false;
  }
}
