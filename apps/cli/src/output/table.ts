import Table from 'cli-table3';
import { plain } from './plain.js';

/** Columns without lines between them, so that `awk` and eyes read them alike. */
const CHARS = {
  ...{ top: '', 'top-mid': '', 'top-left': '', 'top-right': '' },
  ...{ bottom: '', 'bottom-mid': '', 'bottom-left': '', 'bottom-right': '' },
  ...{ left: '', 'left-mid': '', mid: '', 'mid-mid': '' },
  ...{ right: '', 'right-mid': '', middle: '  ' },
};

/** One column: its head and, for numbers, that it stands to the right. */
export interface Column {
  readonly head: string;
  readonly right?: boolean;
}

/** Rows under their heads, without trailing blanks. */
export function table(columns: readonly Column[], rows: readonly (readonly string[])[]): string {
  const drawn = new Table({
    head: columns.map(({ head }) => head.toUpperCase()),
    colAligns: columns.map(({ right }) => (right ? 'right' : 'left')),
    chars: CHARS,
    style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [] },
  });
  drawn.push(...rows.map((row) => row.map((cell) => plain(cell))));
  return drawn
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
}
