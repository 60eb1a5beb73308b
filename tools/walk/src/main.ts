import { fileURLToPath } from 'node:url';
import { Tree } from './tree.js';
import { walkRpcs } from './walk-rpcs.js';
import { walkScripts } from './walk-scripts.js';

/** The stops that are missing under a root, one line each, the path first. */
export function missingStops(root: string): readonly string[] {
  const tree = new Tree(root);
  return [...walkScripts(tree), ...walkRpcs(tree)];
}

/** Runs the tool under a root; returns the exit code. `print` gets one line at a time. */
export function run(root: string, print: (line: string) => void): number {
  const missing = missingStops(root);
  for (const line of missing) print(line);
  print(missing.length === 0 ? 'walk: every stop is there' : `walk: ${missing.length} missing`);
  return missing.length === 0 ? 0 : 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = fileURLToPath(new URL('../../../', import.meta.url));
  process.exitCode = run(root, (line) => console.log(line));
}
