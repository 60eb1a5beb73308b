import { RUST_ENV, toolchain } from '@echomq/languages';
import { ROOT } from '../root.js';
import type { Report, Runner } from '../runner.js';
import { check, inTurn, skipped } from './step.js';

/** The Rust library and its sample: cargo fmt, clippy, warnings being errors, and cargo test. */
export const rust: Runner = { name: 'rust', run };

async function run(): Promise<Report> {
  const chain = toolchain('rust');
  if ('missing' in chain) return skipped('rust', chain.missing);
  const cargo = (name: string, args: readonly string[]) => {
    return check({ name, command: chain.tool, args, cwd: ROOT, env: RUST_ENV });
  };
  return inTurn([
    () => cargo('cargo fmt', ['fmt', '--all', '--check']),
    // --release shares what the build scripts stand on with the build.
    () =>
      cargo('cargo clippy', [
        ...['clippy', '--release', '--locked', '--quiet', '--workspace', '--all-targets'],
        ...['--', '-D', 'warnings'],
      ]),
    () => cargo('cargo test', ['test', '--release', '--locked', '--quiet', '--workspace']),
  ]);
}
