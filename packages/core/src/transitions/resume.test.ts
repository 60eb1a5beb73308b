import { describe, expect, it } from 'vitest';
import { META, NOW, useStore } from '../../test/use-store.js';
import { pause } from './pause.js';
import { resume } from './resume.js';

const used = useStore();
const PAUSED = { ...META, paused: 1 };

describe('resume', () => {
  describe('moves', () => {
    it('nothing: it takes the flag off', async () => {
      const queue = used.queue();
      await queue.seed({ meta: PAUSED, wait: ['2', '1'], active: ['3'] });
      await resume(used.store, queue.keys);
      expect(await queue.read()).toEqual({
        meta: META,
        wait: ['2', '1'],
        active: ['3'],
        marker: [['0', 0]],
        events: [{ event: 'resumed' }],
      });
    });

    it('what a BullMQ 5 peer parked back to wait, where it runs first and in its order', async () => {
      const queue = used.queue();
      await queue.seed({ meta: PAUSED, wait: ['6', '5'], paused: ['3', '2', '1'] });
      await resume(used.store, queue.keys);
      expect(await queue.read()).toEqual({
        meta: META,
        wait: ['6', '5', '3', '2', '1'],
        marker: [['0', 0]],
        events: [{ event: 'resumed' }],
      });
    });

    it('more than 7,000 of them in steps; the gate stays closed until the last', async () => {
      const queue = used.queue();
      const parked = Array.from({ length: 15_500 }, (_, at) => `p${at}`);
      await queue.seed({ meta: PAUSED, wait: ['w'], paused: parked });
      const steps: unknown[] = [];
      const inSteps = {
        ...used.store,
        run: async (...call: Parameters<typeof used.store.run>) => {
          const reply = await used.store.run(...call);
          const { redis } = used;
          steps.push([
            await redis.client.llen(queue.key('paused')),
            await redis.client.hexists(queue.key('meta'), 'paused'),
            await redis.client.exists(queue.key('marker'), queue.key('events')),
          ]);
          return reply;
        },
      } as unknown as typeof used.store;

      await resume(inSteps, queue.keys);

      expect(steps).toEqual([
        [8_500, 1, 0],
        [1_500, 1, 0],
        [0, 0, 2],
      ]);
      const dump = await queue.read();
      expect(dump.wait).toEqual(['w', ...parked]);
      expect(dump.events).toEqual([{ event: 'resumed' }]);
    });

    it('can be repeated, and undoes every pause', async () => {
      const queue = used.queue();
      await pause(used.store, queue.keys);
      await pause(used.store, queue.keys);
      await resume(used.store, queue.keys);
      await resume(used.store, queue.keys);
      expect(await queue.read()).toEqual({
        events: ['paused', 'paused', 'resumed', 'resumed'].map((event) => ({ event })),
      });
    });
  });

  describe('wakes', () => {
    it.each([
      ['a worker for prioritized jobs', { prioritized: { 1: 5 } }, [['0', 0]]],
      ['at the next due time when nothing waits', { delayed: { 1: NOW * 4096 } }, [['1', NOW]]],
      ['nobody when there is nothing', {}, undefined],
      [
        'nobody while the global concurrency closes the gate',
        { wait: ['1'], active: ['2'] },
        undefined,
      ],
    ])('%s', async (_, state, marker) => {
      const queue = used.queue();
      const gate = 'active' in state ? { concurrency: 1 } : {};
      await queue.seed({ meta: { ...PAUSED, ...gate }, ...state });
      await resume(used.store, queue.keys);
      expect((await queue.read()).marker).toEqual(marker);
    });
  });
});
