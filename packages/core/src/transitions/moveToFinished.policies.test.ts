import { jobHash } from '@echomq/testkit';
import { describe, expect, it } from 'vitest';
import { family, RELEASED, WAITING } from '../../test/family.js';
import { META, NOW, useStore } from '../../test/use-store.js';
import { moveToFinished } from './moveToFinished.js';

const used = useStore();

describe('moveToFinished tells the parent', () => {
  describe('of a failed child, by the policy', () => {
    it('none: it goes on waiting', async () => {
      const { parents, end } = await family(used, {});
      const before = await parents.read();
      await end('failed');
      expect(await parents.read()).toEqual(before);
    });

    it('none, and the child is not kept: as if it had never been', async () => {
      const { parents, end } = await family(used, {}, {}, { removeOnFail: true });
      await end('failed');
      expect(await parents.read()).toEqual({
        ...RELEASED,
        p: jobHash({ timestamp: 1 }),
        events: WAITING,
      });
    });

    it('none, with flags that are false or null', async () => {
      const flags = { fpof: false, cpof: null, idof: null, rdof: false };
      const { parents, end } = await family(used, flags);
      const before = await parents.read();
      await end('failed');
      expect(await parents.read()).toEqual(before);
    });

    it('fpof: it runs next, to be failed', async () => {
      const { children, parents, end } = await family(used, { fpof: true });
      await parents.seed({ 'p:dependencies': [children.key('1'), 'bull:q:other'] });
      await end('failed');
      expect(await parents.read()).toEqual({
        ...RELEASED,
        p: jobHash({ timestamp: 1, defa: `child ${children.key('1')} failed` }),
        'p:dependencies': ['bull:q:other'],
        'p:unsuccessful': [[children.key('1'), NOW]],
        events: WAITING,
      });
    });

    it('fpof of a delayed parent: it runs at once', async () => {
      const delayed = { 'waiting-children': [], delayed: { p: 9e15 }, jobs: { p: { delay: 9 } } };
      const { parents, end } = await family(used, { fpof: true }, delayed);
      await end('failed');
      expect(await parents.read()).toMatchObject({ wait: ['p'], p: { delay: '0' } });
      expect(await parents.read()).not.toHaveProperty('delayed');
    });

    it('fpof of an active parent: the failure is left for its next fetch', async () => {
      const { children, parents, end } = await family(
        used,
        { fpof: true },
        { 'waiting-children': [], active: ['p'] },
      );
      await end('failed');
      expect(await parents.read()).toEqual({
        active: ['p'],
        meta: META,
        p: jobHash({ timestamp: 1, defa: `child ${children.key('1')} failed` }),
        'p:unsuccessful': [[children.key('1'), NOW]],
      });
    });

    it('fpof of a failed parent: only noted', async () => {
      const { parents, end } = await family(
        used,
        { fpof: true },
        { 'waiting-children': [], failed: { p: 1 } },
      );
      await end('failed');
      const dump = await parents.read();
      expect(dump.p).toEqual(jobHash({ timestamp: 1 }));
      expect(dump.failed).toEqual([['p', 1]]);
    });

    it('cpof: it runs at once, with the reason, whatever the others do', async () => {
      const { children, parents, end } = await family(used, { cpof: true });
      await parents.seed({ 'p:dependencies': [children.key('1'), 'bull:q:other'] });
      await end('failed');
      expect(await parents.read()).toEqual({
        ...RELEASED,
        p: jobHash({ timestamp: 1 }),
        'p:dependencies': ['bull:q:other'],
        'p:failed': { [children.key('1')]: 'boom' },
        events: WAITING,
      });
    });

    it.each([
      ['idof', { 'p:failed': 'boom' }],
      ['rdof', {}],
    ])('%s: it runs once no other child is pending', async (flag, noted) => {
      const { children, parents, end } = await family(used, { [flag]: true });
      await end('failed');
      expect(await parents.read()).toEqual({
        ...RELEASED,
        p: jobHash({ timestamp: 1 }),
        ...('p:failed' in noted ? { 'p:failed': { [children.key('1')]: 'boom' } } : {}),
        events: WAITING,
      });

      const more = await family(used, { [flag]: true });
      await more.parents.seed({ 'p:dependencies': [more.children.key('1'), 'bull:q:other'] });
      await more.end('failed');
      const dump = await more.parents.read();
      expect(dump).toMatchObject({
        'waiting-children': [['p', 5]],
        'p:dependencies': ['bull:q:other'],
      });
      expect(dump).not.toHaveProperty('wait');
    });

    it('fpof goes before cpof, cpof before idof', async () => {
      const first = await family(used, { fpof: true, cpof: true, idof: true, rdof: true });
      await first.end('failed');
      expect(await first.parents.read()).toHaveProperty('p:unsuccessful');
      const second = await family(used, { cpof: true, idof: true });
      await second.parents.seed({ 'p:dependencies': [second.children.key('1'), 'bull:q:other'] });
      await second.end('failed');
      expect(await second.parents.read()).toMatchObject({ wait: ['p'] });
    });

    it('not of a failure that is retried', async () => {
      const { children, parents } = await family(used, { fpof: true }, {}, { attempts: 2 });
      const before = await parents.read();
      const options = { token: 't1', retry: { mode: 'DEFAULT' as const } };
      const how = { jobId: '1', target: 'failed' as const, value: 'x', fetchNext: false, options };
      await moveToFinished(used.store, children.keys, how, NOW);
      expect(await parents.read()).toEqual(before);
    });
  });
});
