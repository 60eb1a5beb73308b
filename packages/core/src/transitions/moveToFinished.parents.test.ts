import { jobHash } from '@echomq/testkit';
import { describe, expect, it } from 'vitest';
import { family, RELEASED, WAITING } from '../../test/family.js';
import { eventLines, events, META, NOW, useStore } from '../../test/use-store.js';

const used = useStore();

describe('moveToFinished tells the parent', () => {
  describe('of a completed child', () => {
    it('which runs next when that was the last one', async () => {
      const { children, parents, end } = await family(used, {}, { wait: [] });
      await end('completed');
      expect(await parents.read()).toEqual({
        ...RELEASED,
        p: jobHash({ timestamp: 1 }),
        'p:processed': { [children.key('1')]: '{"n":1}' },
        events: WAITING,
      });
      expect(events(await children.read())).toHaveLength(1);
    });

    it('which goes on waiting for the others', async () => {
      const one = await family(used, {});
      await one.parents.seed({ 'p:dependencies': [one.children.key('1'), 'bull:q:other'] });
      await one.end('completed');
      expect(await one.parents.read()).toEqual({
        meta: META,
        p: jobHash({ timestamp: 1 }),
        'waiting-children': [['p', 5]],
        'p:dependencies': ['bull:q:other'],
        'p:processed': { [one.children.key('1')]: '{"n":1}' },
      });
    });

    it('which takes note while it runs itself', async () => {
      const { children, parents, end } = await family(
        used,
        {},
        { 'waiting-children': [], active: ['p'] },
      );
      await end('completed');
      expect(await parents.read()).toMatchObject({
        active: ['p'],
        'p:processed': { [children.key('1')]: '{"n":1}' },
      });
      expect(await parents.read()).not.toHaveProperty('wait');
    });

    it('by its key alone, where the JSON is missing or corrupt', async () => {
      for (const parent of [
        undefined,
        '{broken',
        { id: null, queueKey: null },
        { id: {}, queueKey: 7 },
      ]) {
        const { children, parents, end } = await family(used, {});
        await children.seed({ jobs: { 1: { parent, parentKey: parents.key('p') } } });
        await end('completed');
        expect(await parents.read()).toMatchObject(RELEASED);
      }
    });

    it('once: a child that it no longer waits for changes nothing', async () => {
      const { parents, end } = await family(used, {}, { 'p:dependencies': ['bull:q:x'] });
      const before = await parents.read();
      await end('completed');
      expect(await parents.read()).toEqual(before);
    });

    it('even when the child is not kept', async () => {
      const { children, parents, end } = await family(used, {}, {}, { removeOnComplete: true });
      await end('completed');
      expect(await parents.read()).toMatchObject({
        ...RELEASED,
        'p:processed': { [children.key('1')]: '{"n":1}' },
      });
      expect(await children.read()).not.toHaveProperty('1');
    });

    it('not when there is no parent any more', async () => {
      const { parents, end } = await family(
        used,
        {},
        { 'waiting-children': [], 'p:dependencies': [] },
      );
      await used.redis.client.del(parents.key('p'));
      await end('completed');
      expect(await parents.read()).toEqual({ meta: META });
    });
  });

  describe('and puts it', () => {
    it.each([
      ['at the front of wait', {}, { wait: ['x', 'p'] }],
      ['behind its equals', { priority: 3 }, { prioritized: [['p', 3 * 2 ** 32 + 1]], pc: '1' }],
      [
        'to delayed',
        { delay: 250 },
        { delayed: [['p', (NOW + 250) * 4096]], marker: [['1', NOW + 250]] },
      ],
    ])('%s', async (_, job, expected) => {
      const { parents, end } = await family(used, {}, { wait: ['x'], jobs: { p: job } });
      await end('completed');
      expect(await parents.read()).toMatchObject(expected);
    });

    it.each([{ paused: 1 }, { concurrency: 0 }])(
      'without a wake-up behind a gate: %j',
      async (gate) => {
        const { parents, end } = await family(used, {}, { meta: { ...META, ...gate } });
        await end('completed');
        expect(await parents.read()).not.toHaveProperty('marker');
      },
    );

    it('with the event of its new place', async () => {
      const { parents, end } = await family(used, {}, { jobs: { p: { delay: 250 } } });
      await end('completed');
      expect(eventLines(await parents.read())).toEqual([
        `event=delayed jobId=p delay=${NOW + 250}`,
      ]);
    });
  });
});
