import { moveStalledJobsToWait, QueueKeys, Store, type SweepOutcome } from '@echomq/core';
import { connectRedis } from '@echomq/core/ioredis';
import { useStarted } from '@echomq/testkit';

/** Runs the stalled sweep at the instant that a test chooses. */
export interface Sweeper {
  /** One forced sweep. @param maxStalledCount stalls that a job survives; 1 unless given */
  sweep(queue: string, maxStalledCount?: number): Promise<SweepOutcome>;
  /** Sweeps back to back until the returned function is called, which says how many jobs were found ownerless. */
  endlessly(queue: string): () => Promise<number>;
}

/** Gives a test file a sweeper on its store. @param url asked for when the file's tests begin */
export function useSweeper(url: () => string): Sweeper {
  const started = useStarted(async () => {
    const client = connectRedis({ url: url() });
    await client.whenReady(AbortSignal.timeout(10_000));
    return { store: new Store(client), [Symbol.asyncDispose]: () => client.close() };
  });
  const sweep = (queue: string, maxStalledCount = 1) =>
    moveStalledJobsToWait(started.value.store, new QueueKeys('bull', queue), {
      maxStalledCount,
      stalledInterval: 1_000,
      force: true,
    });
  return {
    sweep,
    endlessly(queue) {
      let over = false;
      const sweeping = (async () => {
        let found = 0;
        while (!over) {
          const { recovered, failed } = await sweep(queue);
          found += recovered.length + failed.length;
        }
        return found;
      })();
      return () => {
        over = true;
        return sweeping;
      };
    },
  };
}
