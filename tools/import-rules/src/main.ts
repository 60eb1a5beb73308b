import { fileURLToPath } from 'node:url';
import { readHouse } from './house.js';
import { formatProblem, type Problem, sorted } from './problems.js';
import { checkAmbient } from './rules/ambient.js';
import { checkEntries } from './rules/entries.js';
import { checkImports } from './rules/imports.js';
import { checkLengths } from './rules/lengths.js';
import { checkDependencyLines, checkManifests } from './rules/manifests.js';
import { checkFolders, checkShortNames } from './rules/names.js';

const RULES = [
  checkManifests,
  checkDependencyLines,
  checkImports,
  checkEntries,
  checkAmbient,
  checkFolders,
  checkLengths,
  checkShortNames,
];

/** Everything under a root that breaks a rule of the house, by file and line. */
export function findProblems(root: string): readonly Problem[] {
  const house = readHouse(root);
  return sorted(RULES.flatMap((rule) => rule(house)));
}

/** Runs the tool under a root; returns the exit code. `print` gets one line at a time. */
export function run(root: string, print: (line: string) => void): number {
  const problems = findProblems(root);
  for (const problem of problems) print(formatProblem(problem));
  print(problems.length === 0 ? 'import rules: kept' : `import rules: ${problems.length} broken`);
  return problems.length === 0 ? 0 : 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = fileURLToPath(new URL('../../../', import.meta.url));
  process.exitCode = run(root, (line) => console.log(line));
}
