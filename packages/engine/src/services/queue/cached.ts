import type { Clock } from '../../ports.js';

/** Keeps a result for so many ms; calls that come together share one. A failure is not kept. */
export function cached<Value>(
  clock: Pick<Clock, 'now'>,
  freshMs: number,
  load: () => Promise<Value>,
): () => Promise<Value> {
  let loading: Promise<Value> | undefined;
  let loadedAt = 0;
  return () => {
    if (loading && clock.now() - loadedAt < freshMs) return loading;
    loadedAt = clock.now();
    const mine = load();
    loading = mine;
    mine.catch(() => {
      if (loading === mine) loading = undefined;
    });
    return mine;
  };
}
