import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findGenerators, runGenerator } from './generators.js';
import { compare, copyTree, takeSnapshot } from './tree.js';

/**
 * Runs every `generate` script in a copy of the repository and compares the copy with what it was: `pnpm generate` and
 * a diff, without a write to the tree.
 *
 * @param print gets one line at a time
 * @returns the exit code: 0 when all that is generated is what a fresh run makes
 */
export function run(root: string, print: (line: string) => void): number {
  const copy = realpathSync(mkdtempSync(join(tmpdir(), 'echomq-generated-')));
  try {
    copyTree(root, copy);
    const committed = takeSnapshot(copy);
    const generators = findGenerators(copy);
    for (const generator of generators) {
      const { failed, said } = runGenerator(copy, generator);
      if (failed) {
        print(`${generator.folder}: ${generator.script} failed`);
        print(said);
        return 1;
      }
      // A language whose tools are not here: what is committed for it is compared with nothing.
      for (const line of said.split('\n')) if (/\bskipped\b/.test(line)) print(line);
    }
    const differences = compare(committed, takeSnapshot(copy));
    for (const { path, kind } of differences) print(`${path} ${kind}: run pnpm generate`);
    const folders = generators.map(({ folder }) => folder).join(', ');
    if (differences.length === 0) print(`generated: ${folders} are what a fresh run makes`);
    return differences.length === 0 ? 0 : 1;
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = fileURLToPath(new URL('../../../', import.meta.url));
  process.exitCode = run(root, (line) => console.log(line));
}
