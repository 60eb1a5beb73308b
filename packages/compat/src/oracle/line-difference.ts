/**
 * The lines by which two texts differ, in order: `+ line` stands only in ours, `- line` only in theirs. The longest
 * common subsequence stays out, so that one more event does not move all that follow.
 */
export function lineDifference(ours: readonly string[], theirs: readonly string[]): string[] {
  const common = commonLengths(ours, theirs);
  const lines: string[] = [];
  let a = 0;
  let b = 0;
  const length = (i: number, j: number) => common[i]?.[j] ?? 0;
  while (a < ours.length || b < theirs.length) {
    if (a < ours.length && b < theirs.length && ours[a] === theirs[b]) {
      a++;
      b++;
    } else if (b >= theirs.length || (a < ours.length && length(a + 1, b) >= length(a, b + 1))) {
      lines.push(`+ ${ours[a++]}`);
    } else {
      lines.push(`- ${theirs[b++]}`);
    }
  }
  return lines;
}

/** `[i][j]`: how many lines the tails from i and from j have in common, in order. */
function commonLengths(ours: readonly string[], theirs: readonly string[]): number[][] {
  const table = Array.from({ length: ours.length + 1 }, () =>
    new Array<number>(theirs.length + 1).fill(0),
  );
  for (let i = ours.length - 1; i >= 0; i--) {
    const row = table[i] as number[];
    const below = table[i + 1] as number[];
    for (let j = theirs.length - 1; j >= 0; j--) {
      row[j] =
        ours[i] === theirs[j]
          ? (below[j + 1] as number) + 1
          : Math.max(below[j] as number, row[j + 1] as number);
    }
  }
  return table;
}
