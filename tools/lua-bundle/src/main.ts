import { fileURLToPath } from 'node:url';
import { generate } from './generate.js';
import { differences, writeOutput } from './output.js';
import { formatProblem } from './problems.js';

const USAGE = 'usage: lua-bundle [--check]   (--check compares instead of writing)';

/** Runs the tool under a root; returns the exit code. `print` gets one line at a time. */
export function run(root: string, args: readonly string[], print: (line: string) => void): number {
  if (args.some((arg) => arg !== '--check')) {
    print(USAGE);
    return 2;
  }
  const { files, problems } = generate(root);
  if (problems.length > 0) {
    for (const problem of problems) print(formatProblem(problem));
    const noun = problems.length === 1 ? 'problem' : 'problems';
    print(`${problems.length} ${noun} in lua/: nothing written`);
    return 1;
  }
  if (!args.includes('--check')) {
    for (const path of writeOutput(root, files)) print(`wrote ${path}`);
    return 0;
  }
  const differing = differences(root, files);
  for (const path of differing) print(`${path} is not what lua/ generates: run pnpm generate`);
  return differing.length === 0 ? 0 : 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = fileURLToPath(new URL('../../../', import.meta.url));
  process.exitCode = run(root, process.argv.slice(2), (line) => console.log(line));
}
