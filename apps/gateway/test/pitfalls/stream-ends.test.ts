import { eventually, type FreshQueue, type TcpProxy, tcpProxy, useRedis } from '@echomq/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Stand } from '../errors/stand.js';
import { Wire } from '../errors/wire.js';
import { portOf } from '../serving.js';
import { type PlayedWorker, playWorker } from './worker-stream.js';

const redis = useRedis();
let stand: Stand;
beforeAll(async () => {
  stand = await Stand.start(redis, { ECHOMQ_STALLED_INTERVAL_MS: '200' });
});
afterAll(() => stand.close());

/** What a worker's end looks like to the gateway, and the ways to it. */
interface Line {
  readonly wire: Wire;
  readonly proxy: TcpProxy;
  readonly worker: PlayedWorker;
}

/** How a worker may go, from the rude ways to the clean one. */
const ENDS: Readonly<Record<string, (line: Line) => void>> = {
  'a cancel': ({ worker }) => worker.cancel(),
  'the death of the process': ({ proxy }) => proxy.cut(),
  'a closed client': ({ wire }) => wire.close(),
  'a half-close without drain': ({ worker }) => worker.half(),
  'a half-close after drain': ({ worker }) => {
    worker.send({ drain: { reason: 'enough' } });
    worker.half();
  },
};

/** How far it had come with its job, and where that is in the end. */
const STATES = [
  { state: 'unaccepted', last: { wait: ['a'], completed: 0, stalls: null, attempts: null } },
  { state: 'accepted', last: { wait: ['a'], completed: 0, stalls: '1', attempts: null } },
  { state: 'reported', last: { wait: [], completed: 1, stalls: null, attempts: '1' } },
] as const;

const CASES = Object.keys(ENDS).flatMap((end) => STATES.map((row) => ({ end, ...row })));

describe('pitfall 10: an end of a stream that looks like another', () => {
  it.concurrent.each(CASES)(
    '$end, the job $state',
    async ({ end, state, last }) => {
      const queue = stand.queue();
      await stand.add(queue.name, { options: { jobId: 'a' } });
      await using proxy = await tcpProxy(portOf(stand.gateway.address));
      const wire = new Wire(`127.0.0.1:${proxy.port}`);
      const worker = playWorker(wire, queue.name, { lockDuration: '3s' });
      const [lease] = await worker.delivered(1);
      if (!lease) throw new Error('nothing delivered');
      if (state === 'accepted') {
        worker.beat([lease]);
        await worker.next('heartbeatAck');
      } else if (state === 'reported') {
        // The worker never sees the answer.
        proxy.swallow('toClient');
        worker.complete(lease);
        await eventually(
          async () => expect(await stateOf(queue)).toMatchObject({ completed: 1 }),
          15_000,
        );
      }
      ENDS[end]?.({ wire, proxy, worker });
      await eventually(async () => expect(await stateOf(queue)).toEqual(last), 40_000);
      worker.cancel();
      wire.close();
    },
    60_000,
  );
});

async function stateOf(queue: FreshQueue) {
  const { wait = [], completed = [] } = await queue.read();
  const [stalls, attempts] = await redis.client.hmget(queue.key('a'), 'stc', 'atm');
  return { wait, completed: (completed as readonly unknown[]).length, stalls, attempts };
}
