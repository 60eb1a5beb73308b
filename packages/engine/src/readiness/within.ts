import type { Clock } from '../ports.js';

/** Resolves when the work is done, however it ended, or after so many ms. */
export async function within(clock: Clock, work: Promise<unknown>, limitMs: number): Promise<void> {
  let timer: unknown;
  const late = new Promise<void>((resolve) => {
    timer = clock.setTimeout(resolve, limitMs);
  });
  const done = work.then(
    () => undefined,
    () => undefined,
  );
  await Promise.race([done, late]);
  clock.clearTimeout(timer);
}
