/** Keys of judges by the host that each is for, with its port unless that is the one of https. */
export type Keys = Readonly<Record<string, string>>;

/** What VS Code's SecretStorage does, as far as it is used here. */
export interface Secrets {
  get(name: string): Thenable<string | undefined>;
  store(name: string, value: string): Thenable<void>;
  delete(name: string): Thenable<void>;
}

/** The environment variable that hands the keys to the server, which takes it out of its environment at once. */
export const VARIABLE = "CITE_LSP_SECRETS";

const NAME = "cite-lsp.keys";
const HOST = /^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::[0-9]{1,5})?$/;

/**
 * The name that a key is kept under, of what a person typed: a host, or an address of which scheme and path are left
 * out. The port stays, unless it is the one of the scheme https. Undefined where that is no host.
 */
export function hostOf(typed: string): string | undefined {
  const [, scheme, rest] = /^(?:(https?):\/\/)?([^/?#]*)/.exec(typed.trim().toLowerCase()) ?? [];
  const host = rest === undefined || !HOST.test(rest) ? undefined : rest;
  if (host === undefined) {
    return undefined;
  }
  const hasPort = /[^\]]*:[0-9]+$/.test(host.replace(/^\[.*\]/, "h"));
  if (scheme === "http" && !hasPort) {
    return `${host}:80`;
  }
  return host.replace(/(?<=[^:]):443$/, "");
}

export async function keysIn(secrets: Secrets): Promise<Keys> {
  try {
    const kept: unknown = JSON.parse((await secrets.get(NAME)) ?? "{}");
    return typeof kept === "object" && kept !== null ? (kept as Keys) : {};
  } catch {
    return {};
  }
}

/** Keeps a key; an empty one takes it away. */
export async function keep(secrets: Secrets, host: string, key: string): Promise<void> {
  const { [host]: _, ...others } = await keysIn(secrets);
  const keys: Keys = key === "" ? others : { ...others, [host]: key };
  if (Object.keys(keys).length === 0) {
    await secrets.delete(NAME);
  } else {
    await secrets.store(NAME, JSON.stringify(keys));
  }
}

/** What goes into the environment of the server: nothing where there is no key. */
export function environmentOf(keys: Keys): Record<string, string> {
  return Object.keys(keys).length === 0 ? {} : { [VARIABLE]: JSON.stringify(keys) };
}
