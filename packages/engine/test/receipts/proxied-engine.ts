import { connectRedis } from '@echomq/core/ioredis';
import { type FreshQueue, type QueueDump, type TcpProxy, tcpProxy } from '@echomq/testkit';
import { afterEach } from 'vitest';
import { Engine } from '../../src/engine.js';
import { type Clock, systemClock } from '../../src/ports.js';
import { REDELIVER_GRACE_MS } from '../../src/receipts/redeliver-grace.js';
import type { UsedEngine } from '../use-engine.js';

/** An engine whose link to the store can fail. */
export interface ProxiedEngine {
  readonly engine: Engine;
  readonly proxy: TcpProxy;
  /** What waits for a request to come again: called, the wait is over. */
  readonly graces: (() => void)[];
  /** What it warned of, by event. */
  readonly warnings: string[];
}

/** Starts such engines over a file's server, and ends them after each test. */
export function useProxiedEngines({ redis }: UsedEngine): () => Promise<ProxiedEngine> {
  const ends: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const end of ends.splice(0).reverse()) await end();
  });
  return async () => {
    const graces: (() => void)[] = [];
    const warnings: string[] = [];
    const proxy = await tcpProxy({ path: redis.server.socketPath ?? '' });
    const url = `redis://127.0.0.1:${proxy.port}`;
    const client = connectRedis({ url, commandTimeoutMs: 20_000 });
    await client.whenReady(AbortSignal.timeout(10_000));
    const clock: Clock = {
      ...systemClock,
      setTimeout: (then, ms) =>
        ms === REDELIVER_GRACE_MS ? graces.push(then) : systemClock.setTimeout(then, ms),
    };
    const warn = (event: string) => void warnings.push(event);
    const logger = { info: () => undefined, warn, error: warn };
    const engine = new Engine({ redis: client, clock, logger, metrics: { maxDataPoints: 10 } });
    engine.start();
    ends.push(
      () => proxy.stop(),
      () => client.close(),
      () => engine.close(),
    );
    return { engine, proxy, graces, warnings };
  };
}

/** A queue without what a stalled sweep leaves, which may come at any time. */
export async function unswept(queue: FreshQueue): Promise<QueueDump> {
  const { stalled: _, 'stalled-check': __, ...rest } = await queue.read();
  return rest;
}
