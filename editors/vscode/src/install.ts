import { spawn } from "node:child_process";
import * as fs from "node:fs/promises";
import * as path from "node:path";
import * as vscode from "vscode";

/** Interpreters by the names people have them under, each with the arguments before ours. */
const PYTHONS: readonly (readonly string[])[] =
  process.platform === "win32" ? [["py", "-3"], ["python"]] : [["python3"], ["python"]];
const PIP = ["install", "--upgrade", "--no-input", "--progress-bar", "off", "--disable-pip-version-check", "cite-lsp"];
const NEW_ENOUGH = "import sys; sys.exit(sys.version_info < (3, 11))";

/**
 * Makes a virtual environment of this extension's own and installs cite-lsp there. Whether it is there afterwards;
 * what went wrong is told to the person here, and all output goes to the channel.
 */
export async function installServer(environment: string, channel: vscode.LogOutputChannel): Promise<boolean> {
  const options = { location: vscode.ProgressLocation.Notification, title: "Installing cite-lsp", cancellable: true };
  try {
    await vscode.window.withProgress(options, (progress, token) => install(environment, channel, progress, token));
    return true;
  } catch (error) {
    await fs.rm(environment, { recursive: true, force: true });
    if (!(error instanceof vscode.CancellationError)) {
      channel.error(`${error}`);
      void tell(`cite-lsp was not installed: ${error instanceof Error ? error.message : error}`, channel);
    }
    return false;
  }
}

type Progress = vscode.Progress<{ message?: string }>;

async function install(
  environment: string,
  channel: vscode.LogOutputChannel,
  progress: Progress,
  token: vscode.CancellationToken,
): Promise<void> {
  const folder = path.dirname(environment);
  await fs.mkdir(folder, { recursive: true });
  const run = (command: readonly string[]) => runProgram(command, folder, channel, token);
  progress.report({ message: "looking for Python 3.11 or newer" });
  const python = await findPython(run, token);
  progress.report({ message: "making an environment" });
  await run([...python, "-m", "venv", "--clear", environment]);
  progress.report({ message: "fetching the package" });
  const scripts = process.platform === "win32" ? ["Scripts", "python.exe"] : ["bin", "python"];
  await run([path.join(environment, ...scripts), "-m", "pip", ...PIP]);
}

async function findPython(
  run: (command: readonly string[]) => Promise<void>,
  token: vscode.CancellationToken,
): Promise<readonly string[]> {
  for (const python of PYTHONS) {
    try {
      await run([...python, "-c", NEW_ENOUGH]);
      return python;
    } catch {
      if (token.isCancellationRequested) {
        throw new vscode.CancellationError();
      }
    }
  }
  throw new Error("Python 3.11 or newer is needed, and none was found on PATH");
}

function runProgram(
  command: readonly string[],
  folder: string,
  channel: vscode.LogOutputChannel,
  token: vscode.CancellationToken,
): Promise<void> {
  const [program, ...given] = command as readonly [string, ...string[]];
  channel.info(`$ ${command.join(" ")}`);
  return new Promise((resolve, reject) => {
    const child = spawn(program, given, { cwd: folder, stdio: ["ignore", "pipe", "pipe"], windowsHide: true });
    const cancel = token.onCancellationRequested(() => child.kill());
    child.stdout.on("data", (data: Buffer) => channel.info(data.toString().trimEnd()));
    child.stderr.on("data", (data: Buffer) => channel.warn(data.toString().trimEnd()));
    child.on("error", (error) => reject(error));
    child.on("close", (status) => {
      cancel.dispose();
      if (token.isCancellationRequested) {
        reject(new vscode.CancellationError());
      } else if (status === 0) {
        resolve();
      } else {
        reject(new Error(`${path.basename(program)} ended with status ${status}`));
      }
    });
  });
}

async function tell(message: string, channel: vscode.LogOutputChannel): Promise<void> {
  if ((await vscode.window.showErrorMessage(message, "Show output")) !== undefined) {
    channel.show();
  }
}
