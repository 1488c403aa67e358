/** A selection as VS Code has it: lines and characters from 0, `endCharacter` exclusive. */
export interface Selected {
  readonly startLine: number;
  readonly endLine: number;
  readonly endCharacter: number;
}

/**
 * The citation of the selected lines: `path:line`, `path:first-last`, several as a list, numbered from 1.
 * A selection that ends at the first character of a line does not take in that line. Lines that overlap or touch
 * are one range, so that the order of the cursors does not matter.
 */
export function citation(path: string, selections: readonly Selected[]): string {
  const ranges = selections.map(lines).sort((one, other) => one[0] - other[0]);
  const joined: [number, number][] = [];
  for (const [first, last] of ranges) {
    const before = joined.at(-1);
    if (before !== undefined && first <= before[1] + 1) {
      before[1] = Math.max(before[1], last);
    } else {
      joined.push([first, last]);
    }
  }
  return `${path}:${joined.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join(",")}`;
}

function lines(selected: Selected): [number, number] {
  const without = selected.endCharacter === 0 && selected.endLine > selected.startLine;
  return [selected.startLine + 1, selected.endLine + (without ? 0 : 1)];
}
