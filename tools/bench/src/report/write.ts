import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CallRow } from '../calls/measure-calls.js';
import { callsTable, writeCalls } from '../calls/table.js';
import type { SceneResult } from '../run/run-plan.js';
import { chart } from './chart.js';
import { GeneratedPart } from './generated-part.js';
import { machine } from './machine.js';
import { markdown } from './markdown.js';
import { verdicts } from './verdicts.js';

/** What the command writes of the README.md of the folder. */
export const REPORT_PART = new GeneratedPart('report', 'pnpm bench --out docs/benchmarks');

/** What is told of a run besides its figures. */
export interface ReportedRun {
  readonly rounds: number;
  /** As it was typed. */
  readonly command: string;
  /** Something else was at work on the machine. */
  readonly shared: boolean;
  /** The transitions, if their calls were counted, in so many rounds. */
  readonly calls?: { readonly rows: readonly CallRow[]; readonly rounds: number };
}

/** Writes the report, its charts, the figures of every run and the calls into a folder. What people wrote there stays. */
export async function write(
  folder: string,
  results: readonly SceneResult[],
  { calls, ...run }: ReportedRun,
): Promise<void> {
  await mkdir(folder, { recursive: true });
  const about = { ...run, machine: machine() };
  const report = markdown(results, verdicts(results, calls?.rows), about);
  await REPORT_PART.write(join(folder, 'README.md'), report, '# Benchmarks');
  const all = { ...about, results, calls: calls?.rows ?? [] };
  await writeFile(join(folder, 'results.json'), `${JSON.stringify(all, null, 1)}\n`);
  for (const result of results) {
    await writeFile(join(folder, `${result.scene.id}.svg`), await chart(result));
  }
  if (calls) await writeCalls(folder, callsTable(calls.rows, { ...about, ...calls }));
}
