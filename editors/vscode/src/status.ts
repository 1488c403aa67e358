/** The parameters of the server's notification `cite-lsp/status`. */
export interface Counts {
  readonly documents: number;
  readonly anchors: number;
  readonly findings: number;
  readonly judged: number;
  readonly unchecked: number;
  readonly queued: number;
  readonly judge: string;
  /** What was asked of judges elsewhere in this session, and the citations that the limits of a day left unasked. */
  readonly requests: number;
  readonly tokensIn: number;
  readonly tokensOut: number;
  readonly declined: number;
  readonly indexing: boolean;
  /** Who tells of files that other programs change. */
  readonly watching?: "client" | "server" | "nobody";
  readonly lastError: string | null;
  /** What policies came to, once they were asked: passages, and those that were not checked, with the first reason. */
  readonly policies?: { readonly passages: number; readonly unchecked: number; readonly why: string | null };
}

export type State =
  | { readonly kind: "starting" }
  /** `limited`: the workspace is not trusted. */
  | { readonly kind: "running"; readonly counts: Counts | undefined; readonly limited?: boolean }
  /** `absent`: there is no program to run. */
  | { readonly kind: "stopped"; readonly why: string; readonly absent?: boolean };

/** What the status bar shows: text with icons of VS Code, a plain tooltip, and how loud it is. */
export interface View {
  readonly text: string;
  readonly tooltip: string;
  readonly level: "plain" | "warning" | "error";
}

export function view(state: State): View {
  switch (state.kind) {
    case "starting":
      return { text: "$(loading~spin) cite-lsp: starting", tooltip: "The server is starting.", level: "plain" };
    case "stopped":
      return { text: "$(error) cite-lsp: stopped", tooltip: state.why, level: "error" };
    case "running":
      return state.counts === undefined
        ? { text: "cite-lsp: ready", tooltip: "The server is ready.", level: "plain" }
        : running(state.counts, state.limited === true);
  }
}

function running(counts: Counts, limited: boolean): View {
  const found = `${number(counts.anchors, "citation")}, ${number(counts.findings, "finding")}`;
  const tooltip = [
    `${found} in ${number(counts.documents, "document")}`,
    judgeLine(counts),
    ...(counts.requests > 0
      ? [`${number(counts.requests, "request")}, ${counts.tokensIn} tokens sent, ${counts.tokensOut} received`]
      : []),
    ...(counts.declined > 0 ? [`${number(counts.declined, "citation")} not asked: the limits of the day`] : []),
    ...(limited ? ["Restricted mode: no judge elsewhere is asked, and no program of this workspace is run."] : []),
    ...policies(counts),
    ...(counts.indexing ? ["The files of the workspace are being listed."] : []),
    ...(counts.watching === "nobody" ? ["Nobody tells of files that other programs change."] : []),
    ...(counts.lastError === null ? [] : [`Last error: ${counts.lastError}`]),
  ].join("\n");
  if (counts.indexing) {
    return { text: "$(sync~spin) cite-lsp: indexing", tooltip, level: "plain" };
  }
  if (counts.queued > 0) {
    return { text: `$(loading~spin) cite-lsp: judging ${counts.queued}`, tooltip, level: "plain" };
  }
  const failed = counts.lastError !== null;
  return { text: `${failed ? "$(warning) " : ""}cite-lsp: ${found}`, tooltip, level: failed ? "warning" : "plain" };
}

/** Who judges, and how far that is. */
export function judgeLine({ judge, judged, unchecked, queued }: Counts): string {
  return `Judge ${judge}: ${judged} decided, ${unchecked} undecided, ${queued} queued`;
}

function policies({ policies: asked }: Counts): string[] {
  if (asked === undefined) {
    return [];
  }
  const checked = `${asked.passages - asked.unchecked} of ${number(asked.passages, "passage")} checked by policies`;
  const why = asked.why === null ? "" : `: ${asked.why}`;
  return [asked.unchecked > 0 ? `${checked}, ${asked.unchecked} not checked${why}` : checked];
}

/** "1 citation", "2 citations". */
export function number(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
