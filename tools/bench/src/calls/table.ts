import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Machine } from '../report/machine.js';
import type { CallRow } from './measure-calls.js';

/** Between these lines the file is written by the command, around them by people. */
const BEGIN = '<!-- calls: written by `pnpm bench --calls` -->';
const END = '<!-- calls: end -->';

/** The file in the folder of the reports. */
export const CALLS_FILE = 'calls.md';

/** What is told of the run besides the rows. */
export interface CallRun {
  readonly machine: Machine;
  readonly rounds: number;
  /** Something else was at work there. */
  readonly shared: boolean;
}

/** The table, with what it was made on. */
export function callsTable(rows: readonly CallRow[], run: CallRun): string {
  const { machine, rounds, shared } = run;
  const where = `${machine.cpu}, ${machine.cores} cores, Linux ${machine.kernel}, Node ${machine.node}, ${machine.redis}`;
  return [
    `${machine.date}, ${rounds} rounds${shared ? ', on a shared machine' : ''}: ${where}.`,
    '',
    '| | commands per job | of the yardstick | Redis µs per job | of the yardstick | ratio |',
    '| --- | ---: | ---: | ---: | ---: | ---: |',
    ...rows.map(({ title, ours, yardstick }) => {
      const times = `${ours.us.toFixed(1)} | ${yardstick.us.toFixed(1)}`;
      const ratio = (ours.us / yardstick.us).toFixed(2);
      return `| ${title} | ${count(ours.commands)} | ${count(yardstick.commands)} | ${times} | ${ratio} |`;
    }),
  ].join('\n');
}

/** How a count of commands stands in the table. */
function count(commands: number): string {
  return Number(commands.toFixed(2)).toString();
}

/** The counts of a written table: title, commands per job, those of the yardstick. */
export function committedCounts(text: string): string[][] {
  const [, inside = ''] = text.split(BEGIN);
  return inside
    .split('\n')
    .filter((line) => line.startsWith('| ') && !line.startsWith('| | ') && !line.startsWith('| -'))
    .map((line) =>
      line
        .split('|')
        .slice(1, 4)
        .map((cell) => cell.trim()),
    );
}

/**
 * Puts a table into the file of a folder, in the place of the one that stands there.
 *
 * @throws Error when the file has no such place.
 */
export function writeCalls(folder: string, table: string): string {
  const path = join(folder, CALLS_FILE);
  const text = readFileSync(path, 'utf8');
  const from = text.indexOf(BEGIN);
  const to = text.indexOf(END);
  if (from < 0 || to < from) throw new Error(`${path} has no place between ${BEGIN} and ${END}`);
  writeFileSync(path, `${text.slice(0, from)}${BEGIN}\n\n${table}\n\n${text.slice(to)}`);
  return path;
}
