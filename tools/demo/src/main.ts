import { parseOptions } from './options.js';
import type { Screen } from './progress.js';
import { runDemo } from './run-demo.js';

/** The signals that end the demo, and the exit status that shells give them. */
const SIGNALS = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

class Interrupted extends Error {
  constructor(readonly by: keyof typeof SIGNALS) {
    super(`ended by ${by}`);
  }
}

/**
 * The README's demo command, after the build.
 *
 * @returns the exit status: 0 when the books are right, 1 when something is wrong or the demo could not run, 128 and
 * the signal's number when it was interrupted
 */
export async function main(
  args: readonly string[],
  screen: Screen = process.stdout,
): Promise<number> {
  const options = parseOptions(args, process.env);
  if ('exit' in options) return options.exit;
  const interrupt = new AbortController();
  const onSignal = (by: NodeJS.Signals): void => {
    const known = by as keyof typeof SIGNALS;
    // Asked twice, it goes at once: what it has started ends with it.
    if (interrupt.signal.aborted) process.exit(SIGNALS[known]);
    screen.write(`\nEnding what was started (${by}; once more to end at once).\n`);
    interrupt.abort(new Interrupted(known));
  };
  const signals = Object.keys(SIGNALS) as (keyof typeof SIGNALS)[];
  for (const signal of signals) process.on(signal, onSignal);
  try {
    const right = await runDemo(options, { screen, env: process.env, signal: interrupt.signal });
    return right ? 0 : 1;
  } catch (error) {
    if (error instanceof Interrupted) return SIGNALS[error.by];
    console.error(`The demo could not run: ${(error as Error).message}`);
    return 1;
  } finally {
    for (const signal of signals) process.off(signal, onSignal);
  }
}
