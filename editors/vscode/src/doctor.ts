import { execFile } from "node:child_process";

/**
 * What `cite-lsp doctor` says of a folder; it sends nothing anywhere. It does not see the keys that this editor keeps,
 * so that their hosts are added. Throws where the program says nothing.
 */
export function examine(command: string, folder: string, cwd: string, hosts: readonly string[]): Promise<string> {
  const options = { cwd, env: { ...process.env, PYTHONSAFEPATH: "1" }, timeout: 60_000, windowsHide: true };
  return new Promise((resolve, reject) => {
    execFile(command, ["doctor", "--no-color", folder], options, (error, stdout, stderr) => {
      const said = stdout.trim();
      if (said === "") {
        reject(new Error(stderr.trim() || `${error?.message ?? "doctor said nothing"}`));
        return;
      }
      const kept = hosts.length === 0 ? "none" : `for ${[...hosts].sort().join(", ")}`;
      resolve(`${said}\n\nkeys that this editor keeps: ${kept}`);
    });
  });
}
