import { judgeLine, number, type State } from "./status.ts";

/** An entry of the menu behind the status item; one without a command is a heading over those below it. */
export interface Entry {
  readonly label: string;
  readonly command?: string;
}

/** What can be done in a state: nothing is offered that would only answer that it cannot be done. */
export function entries(state: State, trusted: boolean): readonly Entry[] {
  if (state.kind === "stopped") {
    return [{ label: state.why }, ...(state.absent ? [INSTALL, SETTINGS] : []), ...SERVER];
  }
  const counts = state.kind === "running" ? state.counts : undefined;
  const heading = counts === undefined ? "Citations" : `${number(counts.anchors, "citation")}, ${number(counts.findings, "finding")}`;
  return [
    { label: counts === undefined ? "Judge" : judgeLine(counts) },
    ...JUDGE,
    ...(trusted ? [KEY] : []),
    { label: heading },
    ...CITATIONS,
    { label: "Server" },
    ...SERVER,
    WALKTHROUGH,
  ];
}

const JUDGE: readonly Entry[] = [
  { label: "Judge document", command: "cite-lsp.judgeDocument" },
  { label: "Judge workspace", command: "cite-lsp.judgeWorkspace" },
  { label: "Run policies on this document", command: "cite-lsp.runPolicies" },
  { label: "Clear cache of verdicts and answers", command: "cite-lsp.clearCache" },
];
const KEY: Entry = { label: "Set API key…", command: "cite-lsp.setApiKey" };
const CITATIONS: readonly Entry[] = [
  { label: "Fix all citations with one answer", command: "cite-lsp.fixAll" },
  { label: "Request repair", command: "cite-lsp.requestRepair" },
  { label: "Copy citation", command: "cite-lsp.copyCitation" },
];
const SERVER: readonly Entry[] = [
  { label: "Restart server", command: "cite-lsp.restart" },
  { label: "Tell what is found (doctor)", command: "cite-lsp.doctor" },
  { label: "Show output", command: "cite-lsp.showOutput" },
];
const INSTALL: Entry = { label: "Install server", command: "cite-lsp.install" };
const SETTINGS: Entry = { label: "Open settings", command: "cite-lsp.openSettings" };
const WALKTHROUGH: Entry = { label: "Get started", command: "cite-lsp.getStarted" };
