import { setTimeout as sleep } from 'node:timers/promises';

/** What a handler works with. */
export interface HandlerRun {
  readonly name: string;
  readonly data: unknown;
  /** From 1. */
  readonly attempt: number;
  readonly signal: AbortSignal;
  readonly progress: (value: unknown) => void;
}

/** The handlers that docs/protocol.md asks of a candidate, and no others. */
export async function handle({ name, data, attempt, signal, progress }: HandlerRun) {
  if (name === 'echo') return data;
  if (name === 'flaky') {
    const { failures } = data as { failures: number };
    if (attempt <= failures) throw new Error(`failure ${attempt} of ${failures}`);
    return { attempts: attempt };
  }
  if (name === 'slow') {
    const { ms } = data as { ms: number };
    for (let step = 1; step <= 10; step += 1) {
      await sleep(ms / 10, undefined, { signal });
      progress(step * 10);
    }
    return { ms };
  }
  throw new Error(`no handler for "${name}"`);
}
