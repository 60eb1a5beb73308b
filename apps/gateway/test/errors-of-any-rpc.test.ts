import { privateRedis, useRedis } from '@echomq/testkit';
import { afterAll, describe, expect, it } from 'vitest';
import { accessFile, bearer, entry } from './access-files.js';
import {
  attempt,
  attemptAll,
  type Outcomes,
  RPCS,
  requestTo,
  stockedQueue,
  waiting,
} from './errors/attempt.js';
import { breakUnderWay } from './errors/break-under-way.js';
import { commonReasons, declaredReasons, promised } from './errors/declared.js';
import { LateClient } from './errors/late-call.js';
import { expectKept } from './errors/no-leaks.js';
import { expectOnPage, tableOf } from './errors/page.js';
import { type Rpc, requestsAbout } from './errors/requests.js';
import { Stand } from './errors/stand.js';
import { brokenQueue, stockedQueues } from './errors/stores.js';

const redis = useRedis();
const [declared, common, promises] = [declaredReasons(), commonReasons(), promised()];

/** The rpcs that ended with a reason, by reason. */
const seen = new Map<string, Set<Rpc>>();

/** Holds how every rpc ended against the contract, and notes who ended with the reason in question. */
function note(reason: string, outcomes: Outcomes): readonly Rpc[] {
  const ended = seen.get(reason) ?? new Set();
  seen.set(reason, ended);
  for (const [rpc, failure] of outcomes) {
    if (!failure) continue;
    const found = failure.reason ?? 'none';
    expectKept(failure, found, promises.get(found));
    expect([rpc, [...common, ...(declared.get(rpc) ?? [])]]).toEqual([
      rpc,
      expect.arrayContaining([found]),
    ]);
    if (found === reason) ended.add(rpc);
  }
  return [...ended];
}

async function withStand<T>(
  env: Readonly<Record<string, string>>,
  use: (stand: Stand) => Promise<T>,
): Promise<T> {
  const stand = await Stand.start(redis, env);
  try {
    return await use(stand);
  } finally {
    await stand.close();
  }
}

const about = (rpc: Rpc) => requestsAbout({ queue: 'q' })[rpc];
const MALFORMED = Uint8Array.of(0xff, 0xff, 0xff, 0xff, 0xff);

describe('a call of any rpc', () => {
  it('has a request in this test', () => {
    expect(Object.keys(requestsAbout({ queue: 'q' })).sort()).toEqual([...RPCS].sort());
  });

  it('without credentials, with wrong ones, with old ones, and without the right', async () => {
    const { path } = accessFile([
      entry('nobody', 'no-rights', { acl: [] }),
      entry('late', 'expired', { expires: '2020-01-01T00:00:00Z' }),
    ]);
    await withStand({ ECHOMQ_ACCESS_FILE: path }, async ({ wire, log }) => {
      const all = async (reason: string, token?: string) =>
        note(reason, await attemptAll(wire, about, token ? { metadata: bearer(token) } : {}));
      expect(await all('CREDENTIALS_MISSING')).toEqual(RPCS);
      expect(await all('CREDENTIALS_INVALID', 'unknown')).toEqual(RPCS);
      expect(await all('CREDENTIALS_EXPIRED', 'expired')).toEqual(RPCS);
      await all('QUEUE_ACCESS_DENIED', 'no-rights');
      expect(log.lines.filter(({ level }) => level === 'error')).toEqual([]);
    });
  });

  it('that cannot be read', async () => {
    await withStand({}, async ({ wire }) => {
      const ends = RPCS.map(
        async (rpc) => [rpc, (await wire.call(rpc, MALFORMED)).failure] as const,
      );
      expect(note('INVALID_FIELD', new Map(await Promise.all(ends)))).toEqual(RPCS);
    });
  });

  it('whose deadline has passed when it arrives', async () => {
    await withStand({}, async ({ gateway }) => {
      const late = new LateClient(gateway.address);
      const ends = RPCS.map(async (rpc) => [rpc, await late.call(rpc, new Uint8Array())] as const);
      note('DEADLINE_EXCEEDED', new Map(await Promise.all(ends)));
      late.close();
    });
  });

  it('of a principal that has its share', async () => {
    const share = { ECHOMQ_MAX_STREAMS_PER_PRINCIPAL: '1', ECHOMQ_MAX_WAITERS_PER_PRINCIPAL: '1' };
    await withStand(share, async (stand) => {
      const queue = stand.queue();
      await stockedQueue(queue);
      await stand.wire.answer('PauseQueue', { queue: queue.name });
      const stream = stand.wire.open('Subscribe', { queue: queue.name });
      await stream.first;
      const outcomes = new Map();
      for (const rpc of ['Work', 'Subscribe', 'FetchJobs', 'PollEvents', 'WaitJob'] as const) {
        const fetch = stand.wire.open('FetchJobs', waiting('FetchJobs', queue.name));
        fetch.half();
        // One of the two that wait is refused, whichever came second.
        const call = attempt(stand.wire, rpc, waiting(rpc, queue.name));
        const failure = await Promise.race([call, fetch.ended.then((ended) => ended.failure)]);
        outcomes.set(rpc, failure);
        fetch.cancel();
        await fetch.ended;
      }
      note('QUOTA_EXCEEDED', outcomes);
      stream.cancel();
      await stream.ended;
    });
  });

  it('while Redis is away', async () => {
    await withStand({ ECHOMQ_REDIS_URL: 'redis://127.0.0.1:1' }, async ({ wire }) => {
      note('BACKEND_UNAVAILABLE', await attemptAll(wire, about));
    });
  });

  it('while the gateway leaves', async () => {
    await withStand({ ECHOMQ_DRAIN_TIMEOUT_MS: '3000' }, async (stand) => {
      const queue = stand.queue();
      await stockedQueue(queue);
      const work = stand.wire.open('Work', requestTo('Work', queue.name));
      await work.first;
      const closed = stand.gateway.close();
      note('GATEWAY_DRAINING', await attemptAll(stand.wire, about));
      work.cancel();
      await closed;
    });
  });

  it('while Redis is full', async () => {
    await using server = await privateRedis({ socket: true });
    await withStand({ ECHOMQ_REDIS_URL: server.url }, async (stand) => {
      const admin = server.connect();
      const names = await stockedQueues(admin);
      await admin.config('SET', 'maxmemory', '1');
      note(
        'BACKEND_OUT_OF_MEMORY',
        await attemptAll(stand.wire, (rpc) => requestTo(rpc, names.get(rpc) ?? '')),
      );
    });
  });

  it('whose link to Redis breaks under way', async () => {
    note('OUTCOME_UNKNOWN', await breakUnderWay(redis.server));
  });

  it('about a queue in which nothing is what it should be', async () => {
    await using server = await privateRedis({ socket: true });
    await withStand({ ECHOMQ_REDIS_URL: server.url }, async (stand) => {
      const queue = await brokenQueue(server.connect());
      note('SCRIPT_ERROR', await attemptAll(stand.wire, (rpc) => requestTo(rpc, queue)));
      expect(stand.log.lines.some(({ level }) => level === 'error')).toBe(true);
    });
  });
});

afterAll(() => {
  const reasons = [...seen.keys()];
  const heads = ['Rpc', ...reasons.map((reason) => `\`${reason}\``)];
  const rows = RPCS.map((rpc) => [
    rpc,
    ...reasons.map((reason) =>
      seen.get(reason)?.has(rpc) ? (promises.get(reason)?.status ?? '') : '',
    ),
  ]);
  expectOnPage('any', tableOf(heads, rows));
});
