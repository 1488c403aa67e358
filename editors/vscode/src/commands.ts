import * as vscode from "vscode";
import type { Location, Position } from "vscode-languageclient/node";
import { citation } from "./citation.ts";
import { hostOf, keep, type Secrets } from "./keys.ts";
import { entries } from "./menu.ts";
import { inOneLine, isLacking, type PoliciesRun } from "./policies.ts";
import type { Server } from "./server.ts";
import { number } from "./status.ts";

/** What the server answers to `cite-lsp.server.judgeDocument`. */
interface Judged {
  readonly rows: number;
  readonly supported: number;
  readonly partial: number;
  readonly unsupported: number;
  readonly review: number;
  readonly unchecked: number;
}

/** What the server answers to `cite-lsp.server.judgeWorkspace`. */
interface WorkspaceJudged {
  readonly rows: number;
  readonly labels: Omit<Judged, "rows">;
  readonly documents: Readonly<Record<string, number>>;
  readonly cancelled: boolean;
}

/** What a code lens hands over: the document, the place of the lens, and where it is cited, as the protocol has them. */
type Shown = [uri: string, position: Position, locations: Location[]];

/** The walkthrough of package.json, by the name that VS Code gives it. */
const WALKTHROUGH = "cite-lsp.cite-lsp#start";

/** Registers the commands that package.json names, `cite-lsp.menu` behind the status item, and what a code lens runs. */
export function registerCommands(
  server: Server,
  channel: vscode.LogOutputChannel,
  secrets: Secrets,
): vscode.Disposable {
  const commands: Record<string, () => unknown> = {
    "cite-lsp.copyCitation": copyCitation,
    "cite-lsp.judgeDocument": () => judgeDocument(server),
    "cite-lsp.judgeWorkspace": () => judgeWorkspace(server),
    "cite-lsp.runPolicies": () => runPolicies(server),
    "cite-lsp.clearCache": () => clearCache(server),
    "cite-lsp.setApiKey": () => setApiKey(server, secrets),
    "cite-lsp.requestRepair": () => requestRepair(server),
    "cite-lsp.fixAll": () => fixAll(server),
    "cite-lsp.restart": () => server.restart(),
    "cite-lsp.doctor": () => server.examine(),
    "cite-lsp.showOutput": () => channel.show(),
    "cite-lsp.install": () => server.install(),
    "cite-lsp.openSettings": () => vscode.commands.executeCommand("workbench.action.openSettings", "cite-lsp.server.path"),
    "cite-lsp.getStarted": () => vscode.commands.executeCommand("workbench.action.openWalkthrough", WALKTHROUGH),
    "cite-lsp.menu": () => menu(server),
  };
  const registered = Object.entries(commands).map(([name, run]) => vscode.commands.registerCommand(name, run));
  const show = (...shown: Shown) => showCitations(server, ...shown);
  registered.push(vscode.commands.registerCommand("cite-lsp.showCitations", show));
  return vscode.Disposable.from(...registered);
}

async function copyCitation(): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (editor === undefined) {
    void vscode.window.showWarningMessage("cite-lsp: open a file, and select the lines to cite.");
    return;
  }
  const { uri } = editor.document;
  if (vscode.workspace.getWorkspaceFolder(uri) === undefined) {
    void vscode.window.showWarningMessage("cite-lsp: this file is in no folder of the workspace, so it has no path to cite.");
    return;
  }
  const selections = editor.selections.map(({ start, end }) => ({
    startLine: start.line,
    endLine: end.line,
    endCharacter: end.character,
  }));
  const text = citation(vscode.workspace.asRelativePath(uri, false), selections);
  await vscode.env.clipboard.writeText(text);
  vscode.window.setStatusBarMessage(`Copied ${text}`, 3000);
}

async function judgeDocument(server: Server): Promise<void> {
  const judged = await ask<Judged>(server, "cite-lsp.server.judgeDocument", "cite-lsp: judging");
  if (judged === undefined) {
    return;
  }
  const parts = inWords(judged);
  void vscode.window.showInformationMessage(`cite-lsp: ${[number(judged.rows, "citation"), ...parts].join(", ")}`);
}

function inWords(judged: Omit<Judged, "rows">): string[] {
  return (["supported", "partial", "unsupported", "review", "unchecked"] as const)
    .filter((label) => judged[label] > 0)
    .map((label) => `${judged[label]} ${label === "unchecked" ? "undecided" : label}`);
}

/** How far it is, and a button that ends it, are shown by the client: the server tells. */
async function judgeWorkspace(server: Server): Promise<void> {
  const judged = await run<WorkspaceJudged>(server, "cite-lsp.server.judgeWorkspace");
  if (judged === undefined) {
    return;
  }
  const { "not-judged": left = 0, ...others } = judged.documents;
  const documents = Object.values(others).reduce((sum, count) => sum + count, 0);
  const parts = [number(documents, "document"), number(judged.rows, "citation"), ...inWords(judged.labels)];
  const missed = left > 0 ? `; ${number(left, "document")} not judged` : "";
  const message = `cite-lsp: ${judged.cancelled ? "stopped; " : ""}${parts.join(", ")}${missed}`;
  void vscode.window.showInformationMessage(message);
}

/** Asks the policies of the file at hand, be it a document or not; whether they run on save is another matter. */
async function runPolicies(server: Server): Promise<void> {
  const ran = await ask<PoliciesRun>(server, "cite-lsp.server.runPolicies", "cite-lsp: asking policies");
  if (ran !== undefined) {
    const message = `cite-lsp: ${inOneLine(ran)}`;
    void (isLacking(ran) ? vscode.window.showWarningMessage(message) : vscode.window.showInformationMessage(message));
  }
}

async function clearCache(server: Server): Promise<void> {
  const count = await run<number>(server, "cite-lsp.server.clearCache");
  if (count !== undefined) {
    void vscode.window.showInformationMessage(`cite-lsp: ${number(count, "answer")} forgotten`);
  }
}

/** Asks for a host and its key, keeps the key where VS Code keeps secrets, and starts the server again with it. */
async function setApiKey(server: Server, secrets: Secrets): Promise<void> {
  const typed = await vscode.window.showInputBox({
    title: "cite-lsp: the server that the key is for",
    prompt: "The host of judge.base_url in your cite-lsp settings file, with its port if it has one",
    placeHolder: "api.openai.com",
    ignoreFocusOut: true,
    validateInput: (text) => (hostOf(text) === undefined ? "This is no host: api.openai.com, localhost:8000" : undefined),
  });
  const host = typed === undefined ? undefined : hostOf(typed);
  if (host === undefined) {
    return;
  }
  const key = await vscode.window.showInputBox({
    title: `cite-lsp: the key for ${host}`,
    prompt: "Kept by VS Code among its secrets and sent to this host only; empty to take the key away",
    password: true,
    ignoreFocusOut: true,
  });
  if (key !== undefined) {
    await keep(secrets, host, key.trim());
    await server.restart();
    const done = key.trim() === "" ? "taken away" : "kept";
    void vscode.window.showInformationMessage(`cite-lsp: the key for ${host} is ${done}; the server was started again`);
  }
}

async function requestRepair(server: Server): Promise<void> {
  const selection = vscode.window.activeTextEditor?.selection;
  if (selection !== undefined) {
    const { start, end } = selection;
    await ask(server, "cite-lsp.server.requestRepair", "cite-lsp: repairing", { range: { start, end } });
  }
}

async function fixAll(server: Server): Promise<void> {
  const fixed = await ask<number>(server, "cite-lsp.server.fixAll", "cite-lsp: fixing");
  if (fixed !== undefined) {
    const message = fixed === 0 ? "no finding here has one answer" : `${number(fixed, "citation")} fixed`;
    void vscode.window.showInformationMessage(`cite-lsp: ${message}`);
  }
}

async function showCitations(server: Server, uri: string, position: Position, locations: Location[]): Promise<void> {
  const converter = server.client?.protocol2CodeConverter;
  if (converter !== undefined) {
    await vscode.commands.executeCommand(
      "editor.action.showReferences",
      converter.asUri(uri),
      converter.asPosition(position),
      locations.map((location) => converter.asLocation(location)),
    );
  }
}

/** Runs a command of the server on the document of the active editor. */
async function ask<Answer>(server: Server, command: string, title: string, more = {}): Promise<Answer | undefined> {
  const { client } = server;
  const document = vscode.window.activeTextEditor?.document;
  if (client === undefined || document === undefined) {
    void vscode.window.showWarningMessage(
      `cite-lsp: ${client === undefined ? "the server is not running" : "there is no open document"}.`,
    );
    return undefined;
  }
  const uri = client.code2ProtocolConverter.asUri(document.uri);
  const params = { command, arguments: [{ uri, ...more }] };
  const options = { location: vscode.ProgressLocation.Window, title };
  try {
    return await vscode.window.withProgress(options, () =>
      client.sendRequest<Answer>("workspace/executeCommand", params),
    );
  } catch (error) {
    void vscode.window.showErrorMessage(`cite-lsp: ${error instanceof Error ? error.message : error}`);
    return undefined;
  }
}

/** Runs a command of the server that is about no document. */
async function run<Answer>(server: Server, command: string): Promise<Answer | undefined> {
  const { client } = server;
  if (client === undefined) {
    void vscode.window.showWarningMessage("cite-lsp: the server is not running.");
    return undefined;
  }
  try {
    return await client.sendRequest<Answer>("workspace/executeCommand", { command, arguments: [] });
  } catch (error) {
    void vscode.window.showErrorMessage(`cite-lsp: ${error instanceof Error ? error.message : error}`);
    return undefined;
  }
}

async function menu(server: Server): Promise<void> {
  const items = entries(server.state, vscode.workspace.isTrusted).map((entry) =>
    entry.command === undefined ? { ...entry, kind: vscode.QuickPickItemKind.Separator } : entry,
  );
  const chosen = await vscode.window.showQuickPick(items, { title: "cite-lsp" });
  if (chosen?.command !== undefined) {
    await vscode.commands.executeCommand(chosen.command);
  }
}
