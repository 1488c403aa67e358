import * as vscode from "vscode";
import { registerCommands } from "./commands.ts";
import { Server } from "./server.ts";
import { type State, view } from "./status.ts";

let server: Server | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const channel = vscode.window.createOutputChannel("cite-lsp", { log: true });
  const running = new Server(context, channel);
  server = running;
  const item = statusItem(running);
  context.subscriptions.push(
    channel,
    running,
    item,
    registerCommands(running, channel, context.secrets),
    vscode.workspace.onDidGrantWorkspaceTrust(() => running.restart()),
    vscode.workspace.onDidChangeConfiguration((event) => changed(event, running)),
  );
  await running.restart();
}

export async function deactivate(): Promise<void> {
  await server?.stop();
}

async function changed(event: vscode.ConfigurationChangeEvent, running: Server): Promise<void> {
  if (event.affectsConfiguration("cite-lsp.server.path")) {
    await running.restart();
  } else if (event.affectsConfiguration("cite-lsp")) {
    await running.settingsChanged();
  }
}

function statusItem(running: Server): vscode.Disposable {
  const item = vscode.window.createStatusBarItem("cite-lsp.status", vscode.StatusBarAlignment.Right, 100);
  item.name = "cite-lsp";
  item.command = "cite-lsp.menu";
  const show = (state: State) => {
    const { text, tooltip, level } = view(state);
    item.text = text;
    item.tooltip = tooltip;
    item.backgroundColor = level === "plain" ? undefined : new vscode.ThemeColor(`statusBarItem.${level}Background`);
    item.show();
  };
  show({ kind: "starting" });
  return vscode.Disposable.from(item, running.onState(show));
}
