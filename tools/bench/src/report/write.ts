import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SceneResult } from '../run/run-plan.js';
import { chart } from './chart.js';
import { machine } from './machine.js';
import { markdown } from './markdown.js';
import { verdicts } from './verdicts.js';

/** Writes the report, its charts and the figures of every run into a folder. */
export async function write(
  folder: string,
  results: readonly SceneResult[],
  run: { readonly rounds: number; readonly command: string },
): Promise<void> {
  await mkdir(folder, { recursive: true });
  const about = { ...run, machine: machine() };
  await writeFile(join(folder, 'README.md'), markdown(results, verdicts(results), about));
  await writeFile(
    join(folder, 'results.json'),
    `${JSON.stringify({ ...about, results }, null, 1)}\n`,
  );
  for (const result of results) {
    await writeFile(join(folder, `${result.scene.id}.svg`), await chart(result));
  }
}
