import { describe, expect, it } from 'vitest';
import { activeJob } from '../../test/lease-rejections.js';
import { eventLines, META, NOW, type TestQueue, useStore } from '../../test/use-store.js';
import { type FinishOptions, moveToFinished } from './moveToFinished.js';

const used = useStore();
type Target = 'completed' | 'failed';
const OPTION = { completed: 'removeOnComplete', failed: 'removeOnFail' } as const;

const finish = (queue: TestQueue, target: Target, options: Partial<FinishOptions> = {}) =>
  moveToFinished(
    used.store,
    queue.keys,
    { jobId: '1', target, value: '1', fetchNext: false, options: { token: 't1', ...options } },
    NOW,
  );

/** Finished jobs `old1` (the oldest) and on, one second apart, the newest one second before NOW. */
function finished(target: Target, count: number) {
  const ids = Array.from({ length: count }, (_, at) => `old${at + 1}`);
  return {
    [target]: Object.fromEntries(ids.map((id, at) => [id, NOW - (count - at) * 1_000])),
    jobs: Object.fromEntries([['1', {}], ...ids.map((id) => [id, {}])]),
  };
}

const idsOf = (dump: Record<string, unknown>, key: string) =>
  ((dump[key] ?? []) as [string, number][]).map(([id]) => id);

describe('moveToFinished keeps', () => {
  describe.each(['completed', 'failed'] as const)('%s jobs', (target) => {
    /** The ids that stay when job 1, with this option, joins five that ended earlier. */
    const keptWith = async (option: unknown, options: Partial<FinishOptions> = {}) => {
      const queue = used.queue();
      await queue.seed(activeJob({}, { wait: ['2'] }));
      const { jobs, ...old } = finished(target, 5);
      const opts = option === undefined ? {} : { [OPTION[target]]: option };
      await queue.seed({ ...old, jobs: { ...jobs, 1: { opts } } });
      await finish(queue, target, options);
      const dump = await queue.read();
      const ids = idsOf(dump, target);
      // Who left the set left no hash; who stays has one.
      const hashes = ['1', 'old1', 'old2', 'old3', 'old4', 'old5'].filter((id) => id in dump);
      expect([...ids].sort()).toEqual(hashes);
      return ids;
    };
    const ALL = ['old1', 'old2', 'old3', 'old4', 'old5', '1'];

    it.each([
      ['all by default', undefined, ALL],
      ['all: false', false, ALL],
      ['all: -1', -1, ALL],
      ['none: true', true, ALL.slice(0, 5)],
      ['not itself: 0', 0, ALL.slice(0, 5)],
      ['not itself: count 0', { count: 0 }, ALL.slice(0, 5)],
      ['the newest: 1', 1, ['1']],
      ['the newest: 3', 3, ['old4', 'old5', '1']],
      ['the newest: count 2', { count: 2 }, ['old5', '1']],
      ['more than there are: 100', 100, ALL],
      ['by age', { age: 3 }, ['old4', 'old5', '1']],
      ['by age, as many as one call may drop', { age: 3, limit: 2 }, ['old1', 'old4', 'old5', '1']],
      ['by age and count', { age: 4, count: 2 }, ['old5', '1']],
      ['by age of a fraction', { age: 2.5 }, ['old4', 'old5', '1']],
    ])('%s', async (_, option, kept) => {
      expect(await keptWith(option)).toEqual(kept);
    });

    it.each([
      ['null', null, ALL],
      ['text', 'yes', ALL],
      ['a count that is null', { count: null, age: 3 }, ['old4', 'old5', '1']],
      ['an age that is null', { count: 2, age: null }, ['old5', '1']],
      ['a count that is text', { count: 'many' }, ALL],
      ['an age that is text', { age: 'old' }, ALL],
      ['a count of a fraction', { count: 2.5 }, ['old5', '1']],
      ['a huge count', 1e300, ALL],
      ['a negative limit', { age: 3, limit: -5 }, ALL],
      ['a limit that is text', { age: 3, limit: 'x' }, ['old4', 'old5', '1']],
    ])('what an option of no sense says: %s', async (_, option, kept) => {
      expect(await keptWith(option)).toEqual(kept);
    });

    it("what the caller's default says when the job says nothing", async () => {
      expect(await keptWith(undefined, { defaultKeep: { count: 1 } })).toEqual(['1']);
      expect(await keptWith(3, { defaultKeep: { count: 1 } })).toEqual(['old4', 'old5', '1']);
      expect(await keptWith(false, { defaultKeep: { count: 1 } })).toEqual(ALL);
    });

    it('what the caller demands, whatever the job says', async () => {
      expect(await keptWith(3, { keepJobs: { count: 1 } })).toEqual(['1']);
      expect(await keptWith(3, { keepJobs: { count: 0 } })).toEqual(ALL.slice(0, 5));
    });
  });

  it('nothing at all of a job that is not kept', async () => {
    const queue = used.queue();
    const rest = { '1:logs': ['a'], '1:processed': { c: '1' }, '1:failed': { d: 'x' } };
    await queue.seed(activeJob({ opts: { removeOnComplete: true } }, { ...rest, wait: ['2'] }));
    await finish(queue, 'completed');
    expect(await queue.read()).toEqual({
      wait: ['2'],
      meta: META,
      events: [{ event: 'completed', jobId: '1', returnvalue: '1', prev: 'active' }],
    });
  });

  it('nothing at all of those that it drops', async () => {
    const queue = used.queue();
    await queue.seed(
      activeJob({ opts: { removeOnFail: 1 } }, { failed: { x: 1, y: 2 }, wait: ['2'] }),
    );
    await queue.seed({
      jobs: { x: {} },
      'x:logs': ['a'],
      'x:unsuccessful': { c: 1 },
      y: 'no hash',
    });
    await finish(queue, 'failed');
    const dump = await queue.read();
    expect(Object.keys(dump).sort()).toEqual(['1', 'events', 'failed', 'meta', 'wait']);
    expect(dump.failed).toEqual([['1', NOW]]);
    expect(eventLines(dump)).toHaveLength(2);
  });

  it('detaches a dropped child from its parent, which then runs', async () => {
    const queue = used.queue();
    const parent = { id: 'p', queueKey: queue.base.slice(0, -1) };
    await queue.seed(activeJob({ opts: { removeOnFail: { age: 1 } } }));
    await queue.seed({
      failed: { c: 1 },
      jobs: { c: { parent, parentKey: queue.key('p') }, p: {} },
      'waiting-children': { p: 1 },
      'p:dependencies': [queue.key('c')],
    });
    await finish(queue, 'failed');
    expect(await queue.read()).toMatchObject({ wait: ['p'], failed: [['1', NOW]] });
  });

  it('drops at most 1,000 by count in one script; the next finish goes on', async () => {
    const queue = used.queue();
    const { jobs, ...old } = finished('completed', 1_500);
    await queue.seed({ ...old, jobs });
    await queue.seed(activeJob({ opts: { removeOnComplete: 10 } }));
    await finish(queue, 'completed');
    expect(idsOf(await queue.read(), 'completed')).toHaveLength(501);
    await queue.seed(activeJob({ opts: { removeOnComplete: 10 } }));
    await finish(queue, 'completed');
    const ids = idsOf(await queue.read(), 'completed');
    expect(ids).toHaveLength(10);
    expect(ids.at(-1)).toBe('1');
  });
});
