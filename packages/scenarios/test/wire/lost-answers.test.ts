import { eventually, tcpProxy } from '@echomq/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  add,
  addMany,
  checkBooks,
  finish,
  idsIn,
  LOCK_MS,
  PATIENCE_MS,
  scaled,
  span,
  take,
  takeOne,
  useRig,
  useSweeper,
} from '../../src/index.js';
import { openWork } from './work-stream.js';

const rig = useRig();
const sweeper = useSweeper(() => rig.redis.url);
const GIVE_BACK = { $case: 'release', value: {} } as never;
const HOUR = { lockDuration: span(3_600_000) };

/** A hop before the gateway, for a client whose network goes wrong. */
async function hop() {
  const proxy = await tcpProxy(Number(rig.gateways[0]?.address.split(':').at(-1)));
  onTestFinished(() => proxy.stop());
  return { proxy, raw: rig.raw(`127.0.0.1:${proxy.port}`) };
}

describe('a client that is gone', () => {
  it.each(['its poll is cancelled', 'its connection breaks'])(
    'T104 dead waiter gets the job: %s before the job comes, and who waits behind it gets that job',
    async (how) => {
      const queue = rig.freshQueue();
      const { proxy, raw } = await hop();
      const gone = new AbortController();
      const poll = { ...HOUR, maxJobs: 1, wait: span(20_000), queue: queue.name };
      const dead = raw.call('worker', 'fetchJobs', poll, { signal: gone.signal });
      dead.catch(() => {});
      await raw.call('gateway', 'getServerInfo', {});
      const second = takeOne(rig.raw(), queue.name, { wait: span(PATIENCE_MS) });
      if (how === 'its poll is cancelled') gone.abort();
      else proxy.cut();
      await expect(dead).rejects.toThrow();
      const id = await add(rig.raw(), queue.name);
      const job = await second;
      expect([job.lease.jobId, job.attemptsStarted]).toEqual([id, 1]);
      expect(idsIn(await queue.read(), 'active')).toEqual([id]);
      expect(await take(rig.raw(), queue.name)).toEqual([]);
    },
  );

  it.each(['', 'once'])(
    'T105 reply lost after activation: the job is there again at once, not after its lease (request id: "%s")',
    async (requestId) => {
      // One with an id waits two seconds for its repetition.
      const ROUNDS = scaled(requestId ? 2 : 20, requestId ? 60 : 1_000);
      const queue = rig.freshQueue();
      const own = rig.raw();
      const ids = await addMany(own, queue.name, ROUNDS);
      const active = () => rig.redis.client.llen(queue.key('active'));
      for (let round = 0; round < ROUNDS; round += 1) {
        const { proxy, raw } = await hop();
        await raw.call('gateway', 'getServerInfo', {});
        proxy.pause('toClient');
        const id = requestId && `${requestId}-${round}`;
        const poll = { ...HOUR, queue: queue.name, maxJobs: 1, wait: span(0), requestId: id };
        const lost = raw.call('worker', 'fetchJobs', poll);
        lost.catch(() => {});
        await eventually(async () => expect(await active()).toBe(1), PATIENCE_MS);
        proxy.cut();
        await expect(lost).rejects.toThrow();
        raw.close();
        await eventually(async () => expect(await active()).toBe(0), PATIENCE_MS);
        await proxy.stop();
      }
      const state = await queue.read();
      // In their order, and nothing was counted.
      expect(idsIn(state, 'wait').reverse()).toEqual(ids);
      expect(checkBooks(state, { accepted: ids })).toEqual([]);
      const counted = ids.filter((id) => {
        const { stc, atm } = state[id] as Record<string, string>;
        return stc !== undefined || (atm ?? '0') !== '0';
      });
      expect(counted).toEqual([]);
    },
  );

  it('T115 write to dead stream crashes: streams that hang up while they are sent jobs cost neither', async () => {
    const queue = rig.freshQueue();
    const gateway = await rig.another({ processes: true });
    const own = rig.raw();
    const JOBS = 200;
    const ids = await addMany(own, queue.name, JOBS);
    for (let round = 0; round < scaled(4, 100); round += 1) {
      const raws = Array.from({ length: 5 }, () => rig.raw(gateway.address));
      const streams = raws.flatMap((raw) =>
        Array.from({ length: 8 }, () => openWork(raw, queue.name, 1 + (round % 7))),
      );
      const delivered = () => streams.filter(({ jobs }) => jobs.items.length > 0).length;
      await eventually(() => expect(delivered()).toBeGreaterThan(0), PATIENCE_MS);
      for (const [at, stream] of streams.entries()) if (at % 2 === 0) stream.cancel();
      for (const raw of raws) raw.close();
    }
    await eventually(
      async () => expect(idsIn(await queue.read(), 'active')).toEqual([]),
      PATIENCE_MS,
    );
    const state = await queue.read();
    expect(checkBooks(state, { accepted: ids })).toEqual([]);
    expect(idsIn(state, 'wait')).toHaveLength(JOBS);
    expect(ids.filter((id) => 'stc' in (state[id] as object))).toEqual([]);
    await rig.raw(gateway.address).call('gateway', 'getServerInfo', {});
    expect(gateway.process?.exit.settled).toBe(false);
    expect(gateway.process?.lines.items.join('\n')).not.toMatch(/uncaught|unhandled/i);
  });

  it.each(['alone', 'while another sweeps', 'while another sweeps and takes them'])(
    'T115 write to dead stream crashes: a gateway that stands still longer than its locks counts no stall of jobs that nobody accepted (%s)',
    async (how) => {
      const queue = rig.freshQueue();
      const gateway = await rig.another({ processes: true });
      const ids = await addMany(rig.raw(), queue.name, 20);
      for (let round = 0; round < scaled(2, 20); round += 1) {
        const raw = rig.raw(gateway.address);
        const streams = Array.from({ length: 4 }, () => openWork(raw, queue.name, 5, LOCK_MS));
        const taken = async () => idsIn(await queue.read(), 'active').length;
        const delivered = () => streams.flatMap(({ jobs }) => jobs.items).length;
        await eventually(() => expect(delivered()).toBeGreaterThanOrEqual(ids.length), PATIENCE_MS);
        gateway.process?.pause();
        const lapsed = async () => {
          const keys = Object.keys(await queue.read());
          expect(keys.filter((key) => key.endsWith(':lock'))).toEqual([]);
        };
        await eventually(lapsed, PATIENCE_MS);
        const held: Awaited<ReturnType<typeof take>> = [];
        if (how !== 'alone') {
          await sweeper.sweep(queue.name);
          await sweeper.sweep(queue.name);
          expect(await taken()).toBe(0);
        }
        if (how.endsWith('takes them')) {
          held.push(...(await take(rig.raw(), queue.name, { ...HOUR, maxJobs: ids.length })));
          expect(held).toHaveLength(ids.length);
        }
        for (const [at, stream] of streams.entries()) if (at % 2 === 0) stream.cancel();
        raw.close();
        gateway.process?.resume();
        await eventually(async () => {
          const state = await queue.read();
          expect(idsIn(state, 'active')).toHaveLength(held.length);
          expect(ids.filter((id) => 'stc' in (state[id] as object))).toEqual([]);
        }, PATIENCE_MS);
        // The last is given back first: the next round has them in their order again.
        for (const job of held.reverse()) await finish(rig.raw(), job as never, GIVE_BACK);
      }
      const state = await queue.read();
      expect(checkBooks(state, { accepted: ids })).toEqual([]);
      expect([idsIn(state, 'wait').length, idsIn(state, 'failed')]).toEqual([ids.length, []]);
    },
  );
});
