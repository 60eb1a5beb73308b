import { jobHash } from '@echomq/testkit';
import { describe, expect, it } from 'vitest';
import { GATES } from '../../test/gates.js';
import { eventLines, META, NOW, useStore } from '../../test/use-store.js';
import { promoteDueJobs } from './promoteDueJobs.js';

const used = useStore();
const LATER = NOW + 700;

describe('promoteDueJobs', () => {
  describe('moves', () => {
    it('due jobs to where their priority says, in the order in which they were due', async () => {
      const queue = used.queue();
      await queue.seed({
        meta: META,
        wait: ['w'],
        delayed: { a: 4096, b: 4097, c: NOW * 4096 + 4095, d: LATER * 4096 },
        jobs: { a: { delay: 1 }, b: { delay: 1, priority: 4 }, c: { delay: 1 }, d: { delay: 1 } },
      });
      expect(await promoteDueJobs(used.store, queue.keys, NOW)).toEqual({
        moved: 3,
        nextDueAt: LATER,
      });
      expect(await queue.read()).toEqual({
        wait: ['c', 'a', 'w'],
        prioritized: [['b', 4 * 2 ** 32 + 1]],
        pc: '1',
        delayed: [['d', LATER * 4096]],
        a: jobHash({}),
        b: jobHash({ priority: 4 }),
        c: jobHash({}),
        d: jobHash({ delay: 1 }),
        meta: META,
        marker: [
          ['0', 0],
          ['1', LATER],
        ],
        events: ['a', 'b', 'c'].map((jobId) => ({ event: 'waiting', jobId, prev: 'delayed' })),
      });
    });

    it('LIFO jobs to the front, the last one first', async () => {
      const queue = used.queue();
      const lifo = { delay: 1, opts: { lifo: true } };
      await queue.seed({
        meta: META,
        wait: ['w'],
        delayed: { a: 4096, b: 4097, c: 4098, d: 4099 },
        jobs: {
          a: { delay: 1 },
          b: lifo,
          c: lifo,
          d: { ...lifo, priority: 2 },
        },
      });
      await promoteDueJobs(used.store, queue.keys, NOW);
      expect(await queue.read()).toMatchObject({
        wait: ['a', 'w', 'b', 'c'],
        prioritized: [['d', 2 * 2 ** 32 + 1]],
        b: jobHash({ opts: { lifo: true } }),
      });
    });

    it('nothing when nothing is due', async () => {
      const queue = used.queue();
      expect(await promoteDueJobs(used.store, queue.keys, NOW)).toEqual({ moved: 0 });
      expect(await queue.read()).toEqual({});
      await queue.seed({ delayed: { d: LATER * 4096 } });
      expect(await promoteDueJobs(used.store, queue.keys, NOW)).toEqual({
        moved: 0,
        nextDueAt: LATER,
      });
      expect(await queue.read()).toEqual({
        delayed: [['d', LATER * 4096]],
        marker: [['1', LATER]],
      });
    });

    it('at most 1,000 at once, and says when the rest was due', async () => {
      const queue = used.queue();
      const ids = Array.from({ length: 1_002 }, (_, at) => `j${at}`);
      await queue.seed({ delayed: Object.fromEntries(ids.map((id, at) => [id, 4096 + at])) });
      const first = await promoteDueJobs(used.store, queue.keys, NOW);
      expect(first).toEqual({ moved: 1_000, nextDueAt: 1 });
      expect(await promoteDueJobs(used.store, queue.keys, NOW)).toEqual({ moved: 2 });
      expect((await queue.read()).wait).toEqual([...ids].reverse());
    });

    it('ids without a hash, and with a key that is none, for the fetch to drop', async () => {
      const queue = used.queue();
      await queue.seed({ delayed: { ghost: 4096, text: 4097, bad: 4098 }, text: 'a string' });
      const bad: Record<string, unknown> = { priority: 'nan', delay: 1 };
      await queue.seed({ jobs: { bad: { ...bad } } });
      expect(await promoteDueJobs(used.store, queue.keys, NOW)).toEqual({ moved: 3 });
      expect(await queue.read()).toMatchObject({
        wait: ['bad', 'text', 'ghost'],
        text: 'a string',
        bad: { delay: '0' },
      });
      expect(await queue.read()).not.toHaveProperty('ghost');
    });

    it("by Redis's clock when none is given", async () => {
      const queue = used.queue();
      const [seconds] = await used.redis.client.time();
      const soon = (Number(seconds) + 100) * 1000;
      await queue.seed({ delayed: { due: NOW * 4096, later: soon * 4096 } });
      expect(await promoteDueJobs(used.store, queue.keys)).toEqual({ moved: 1, nextDueAt: soon });
    });
  });

  describe('wakes', () => {
    it.each(GATES)('a worker only while the gate is open: $gate', async ({ meta, open }) => {
      const queue = used.queue();
      await queue.seed({ active: ['other'], delayed: { a: 4096 }, jobs: { a: {} } });
      await queue.seed({ meta: { ...META, ...meta } });
      await promoteDueJobs(used.store, queue.keys, NOW);
      const dump = await queue.read();
      expect(dump.wait).toEqual(['a']);
      expect('marker' in dump).toBe(open);
    });
  });

  it('announces waiting after delayed', async () => {
    const queue = used.queue();
    await queue.seed({ delayed: { a: 4096 }, jobs: { a: {} } });
    await promoteDueJobs(used.store, queue.keys, NOW);
    expect(eventLines(await queue.read())).toEqual(['event=waiting jobId=a prev=delayed']);
  });
});
