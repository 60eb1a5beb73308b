import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

/** The folder of the contract. */
export const PROTO_DIR = join(import.meta.dirname, '..');

/** Runs the buf that the package depends on, in a folder, and returns its exit code and output. */
export function buf(
  args: string[],
  cwd = PROTO_DIR,
): { code: number | null; stdout: Buffer; text: string } {
  const run = spawnSync(join(PROTO_DIR, 'node_modules/.bin/buf'), args, { cwd });
  return { code: run.status, stdout: run.stdout, text: `${run.stdout}${run.stderr}` };
}
