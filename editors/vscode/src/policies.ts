import { number } from "./status.ts";

/** What one policy came to in a file. */
export interface PolicyRun {
  readonly policy: string;
  readonly passages: number;
  readonly unchecked: number;
  readonly found: number;
  readonly review: number;
  /** Why passages were not checked; null where all were. */
  readonly why: string | null;
}

/** What the server answers to `cite-lsp.server.runPolicies`. */
export interface PoliciesRun {
  readonly policies: readonly PolicyRun[];
  /** Policy files that are faulty, so that they were not asked. */
  readonly refused: readonly string[];
  readonly cancelled: boolean;
}

/** Whether something was left out that a person may take for good. */
export function isLacking({ policies, refused }: PoliciesRun): boolean {
  return refused.length > 0 || policies.some(({ unchecked }) => unchecked > 0);
}

/** What a run came to in one line: what was not checked comes first, and is never counted among what was. */
export function inOneLine({ policies, refused, cancelled }: PoliciesRun): string {
  const sum = (count: (each: PolicyRun) => number) => policies.reduce((total, each) => total + count(each), 0);
  const [passages, unchecked] = [sum((each) => each.passages), sum((each) => each.unchecked)];
  const [found, review] = [sum((each) => each.found), sum((each) => each.review)];
  const results = [
    ...(found > 0 ? [number(found, "finding")] : []),
    ...(review > 0 ? [`${review} to look at`] : []),
  ];
  if (results.length === 0 && unchecked < passages) {
    results.push(unchecked > 0 ? "nothing found in the others" : "nothing found");
  }
  const asked = number(passages, "passage");
  const first = unchecked > 0 ? `${unchecked} of ${asked} not checked` : asked;
  const why = policies.find((each) => each.why !== null)?.why;
  const [only, ...others] = policies.map(({ policy }) => policy);
  const name = others.length === 0 ? only : `${policies.length} policies`;
  const faulty = refused.map((path) => `; ${path} is faulty, so it is not asked`).join("");
  const told = [first, ...results].join(", ") + (unchecked > 0 && why !== undefined ? ` (${why})` : "");
  return `${cancelled ? "stopped; " : ""}${name}: ${told}${faulty}`;
}
