import { join } from 'node:path';
import { GeneratedPart } from '../report/generated-part.js';
import type { Machine } from '../report/machine.js';
import type { CallRow } from './measure-calls.js';

/** What the command writes of the file. */
export const CALLS_PART = new GeneratedPart('calls', 'pnpm bench --calls');

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
export function countsIn(page: string): string[][] {
  return CALLS_PART.in(page)
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
 * Puts a table into the file of a folder, in the place of the one that stands there; a folder without the file gets one.
 *
 * @throws Error when the file has no such place.
 */
export async function writeCalls(folder: string, table: string): Promise<string> {
  return CALLS_PART.write(join(folder, CALLS_FILE), table, '# What a transition costs Redis');
}
