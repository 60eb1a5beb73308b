import { join } from 'node:path';
import { RUST_ENV, toolchain } from '@echomq/languages';
import { ROOT } from '../root.js';
import type { Report, Runner } from '../runner.js';
import { check, inTurn, skipped } from './step.js';

/** The Rust sample: cargo fmt and clippy, warnings being errors. */
export const rust: Runner = { name: 'rust', run };

async function run(): Promise<Report> {
  const chain = toolchain('rust');
  if ('missing' in chain) return skipped('rust', chain.missing);
  const cargo = (name: string, args: readonly string[]) => {
    const cwd = join(ROOT, 'apps/sample-worker-rust');
    return check({ name, command: chain.tool, args, cwd, env: RUST_ENV });
  };
  return inTurn([
    () => cargo('cargo fmt', ['fmt', '--check']),
    // --release shares what the build scripts stand on with the build.
    () =>
      cargo('cargo clippy', [
        ...['clippy', '--release', '--locked', '--quiet', '--all-targets'],
        ...['--', '-D', 'warnings'],
      ]),
  ]);
}
