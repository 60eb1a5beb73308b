import { fileURLToPath } from 'node:url';
import { spawnNode, type UsedRedis } from '@echomq/testkit';
import { onTestFinished } from 'vitest';
import { type OpenStream, Wire } from '../errors/wire.js';

const FILE = fileURLToPath(new URL('./measured-gateway.mjs', import.meta.url));
const READY = /^listening on (\S+)$/;

/** Bytes after a collection. */
export interface Memory {
  readonly heapUsed: number;
  readonly external: number;
  readonly rss: number;
}

/** A gateway in a process of its own whose memory can be asked for. */
export interface MeasuredGateway {
  readonly address: string;
  readonly wire: Wire;
  /** Collects garbage there and tells what is left. */
  measure(): Promise<Memory>;
}

/** Starts one for the length of the running test. */
export async function measuredGateway(redis: UsedRedis): Promise<MeasuredGateway> {
  const process = await spawnNode(FILE, {
    nodeArgs: ['--expose-gc'],
    ready: READY,
    readyLimitMs: 30_000,
    env: {
      ...{ ECHOMQ_LISTEN: '127.0.0.1:0', ECHOMQ_REDIS_URL: redis.url },
      ...{ ECHOMQ_LOG_LEVEL: 'error', ECHOMQ_STALLED_INTERVAL_MS: '1000' },
    },
  });
  const address = READY.exec(process.readyLine)?.[1] ?? '';
  const wire = new Wire(address);
  onTestFinished(() => wire.close());
  const told = () => process.lines.items.filter((line) => line.startsWith('memory '));
  return {
    address,
    wire,
    measure: async () => {
      const before = told().length;
      process.kill('SIGUSR2');
      while (told().length === before) {
        await process.lines.waitFor(process.lines.items.length + 1, 30_000);
      }
      return JSON.parse(told().at(-1)?.slice('memory '.length) ?? '') as Memory;
    },
  };
}

let sessions = 0;

/** How many are open at a time. */
const AT_ONCE = 50;

/** Opens so many streams and cancels each once it is open: half as workers, half as subscribers. */
export async function openAndCancel(
  { wire }: Pick<MeasuredGateway, 'wire'>,
  queue: string,
  count: number,
): Promise<void> {
  for (let done = 0; done < count; done += AT_ONCE) {
    const streams = Array.from({ length: Math.min(AT_ONCE, count - done) }, (_, at): OpenStream => {
      sessions += 1;
      if (at % 2 === 0) return wire.open('Subscribe', { queue });
      const worker = { workerId: 'w', sessionId: `passing-${sessions}` };
      // A session is kept for half a lock, in case its worker comes back.
      const subscriptions = [{ queue, maxInFlight: 1, lockDuration: '1s' }];
      return wire.open('Work', { open: { worker, subscriptions } });
    });
    await Promise.all(streams.map(({ first, ended }) => Promise.race([first, ended])));
    for (const stream of streams) stream.cancel();
    await Promise.all(streams.map(({ ended }) => ended));
  }
}

/** By how much the second differs from the first, as a share of it. */
export const growth = (first: Memory, second: Memory): number =>
  (second.heapUsed - first.heapUsed) / first.heapUsed;
