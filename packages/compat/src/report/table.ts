import { PEERS } from '../oracle/peers.js';
import { type Result, type Tally, tally } from './tally.js';

/** The comparisons per transition as rows of text; the last row sums. */
export function tableRows(results: readonly Result[]): string[][] {
  const rows = [...tally(results)].map(([transition, ofPeer]) => [
    transition,
    ...PEERS.flatMap((peer) => cells(ofPeer[peer])),
  ]);
  const sums = (rows[0] ?? []).slice(1).map((_, column) => {
    const total = rows.reduce((sum, row) => sum + Number(row[column + 1]), 0);
    return String(total);
  });
  return [...rows, ['total', ...sums]];
}

const COLUMNS = ['cases', 'equal', 'listed', 'unlisted'] as const;

function cells(counts: Tally): string[] {
  return COLUMNS.map((column) => String(counts[column]));
}

/** The names of the columns of {@link tableRows}. */
export function tableHead(): string[] {
  return ['transition', ...PEERS.flatMap((peer) => COLUMNS.map((column) => `${peer} ${column}`))];
}

/** The table for a terminal. */
export function plainTable(results: readonly Result[]): string {
  const rows = [tableHead(), ...tableRows(results)];
  const widths = tableHead().map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  return rows
    .map((row) =>
      row
        .map((cell, column) =>
          column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
        )
        .join('  '),
    )
    .join('\n');
}
