import { describe, expect, it } from 'vitest';
import { activeJob } from '../../test/lease-rejections.js';
import { NOW, type TestQueue, useStore } from '../../test/use-store.js';
import { type FinishOptions, moveToFinished } from './moveToFinished.js';

const used = useStore();
const MINUTE = 60_000;
/** The beginning of a minute. */
const START = NOW - (NOW % MINUTE);

const finish = (queue: TestQueue, options: Partial<FinishOptions> = {}, now = NOW) =>
  moveToFinished(
    used.store,
    queue.keys,
    {
      jobId: '1',
      target: 'completed',
      value: '1',
      fetchNext: false,
      options: { token: 't1', ...options },
    },
    now,
  );

describe('moveToFinished counts metrics', () => {
  /** Ends a job at each of these instants. */
  const endAt = async (queue: TestQueue, instants: readonly number[], maxMetricsSize = 10) => {
    for (const now of instants) {
      await queue.seed(activeJob());
      await finish(queue, { maxMetricsSize }, now);
    }
    const dump = await queue.read();
    return { count: dump['metrics:completed'], points: dump['metrics:completed:data'] };
  };

  it('per minute, the newest first', async () => {
    const at = [0, 1, 2, MINUTE, MINUTE + 1, 2 * MINUTE].map((ms) => START + ms);
    expect(await endAt(used.queue(), at)).toEqual({
      count: { count: '6', prevTS: `${START + 2 * MINUTE}`, prevCount: '5' },
      points: ['2', '3'],
    });
  });

  it('with zeros for minutes in which nothing ended', async () => {
    expect(await endAt(used.queue(), [START, START + 3 * MINUTE])).toEqual({
      count: { count: '2', prevTS: `${START + 3 * MINUTE}`, prevCount: '1' },
      points: ['0', '0', '1'],
    });
  });

  it('as many minutes as asked for', async () => {
    const { points } = await endAt(used.queue(), [START, START + MINUTE, START + 9 * MINUTE], 4);
    expect(points).toEqual(['0', '0', '0', '1']);
  });

  it('of failures apart', async () => {
    const queue = used.queue();
    await queue.seed(activeJob());
    const options = { token: 't1', maxMetricsSize: 5 };
    const how = { jobId: '1', target: 'failed' as const, value: 'x', fetchNext: false, options };
    await moveToFinished(used.store, queue.keys, how, NOW);
    const dump = await queue.read();
    expect(dump['metrics:failed']).toEqual({ count: '1', prevTS: `${NOW}`, prevCount: '0' });
    expect(dump).not.toHaveProperty('metrics:completed');
  });

  it('anew where the record is corrupt', async () => {
    const queue = used.queue();
    await queue.seed({ 'metrics:completed': { count: 7, prevTS: 'x', prevCount: 'y' } });
    expect((await endAt(queue, [NOW])).count).toEqual({
      count: '8',
      prevTS: `${NOW}`,
      prevCount: '0',
    });
  });

  it.each([0, '' as const, undefined])('none when asked for %j', async (maxMetricsSize) => {
    const queue = used.queue();
    await queue.seed(activeJob());
    await finish(queue, maxMetricsSize === undefined ? {} : { maxMetricsSize });
    expect(await queue.read()).not.toHaveProperty('metrics:completed');
  });

  it('not of a failure that is retried', async () => {
    const queue = used.queue();
    await queue.seed(activeJob({ opts: { attempts: 2 } }));
    const options = { token: 't1', maxMetricsSize: 5, retry: { mode: 'DEFAULT' as const } };
    const how = { jobId: '1', target: 'failed' as const, value: 'x', fetchNext: false, options };
    await moveToFinished(used.store, queue.keys, how, NOW);
    expect(await queue.read()).not.toHaveProperty('metrics:failed');
  });
});

describe('moveToFinished releases a deduplication id', () => {
  it('that its job owns without an end', async () => {
    const queue = used.queue();
    await queue.seed(activeJob({ deid: 'd' }, { 'de:d': '1' }));
    await finish(queue);
    expect(await queue.read()).not.toHaveProperty('de:d');
  });

  it('not one that another job owns', async () => {
    const queue = used.queue();
    await queue.seed(activeJob({ deid: 'd' }, { 'de:d': '2' }));
    await finish(queue);
    expect(await queue.read()).toMatchObject({ 'de:d': '2' });
  });

  it('not one whose time still runs', async () => {
    const queue = used.queue();
    await queue.seed(activeJob({ deid: 'd' }, { 'de:d': '1', ttls: { 'de:d': 60_000 } }));
    await finish(queue);
    expect(await queue.read()).toMatchObject({ 'de:d': '1' });
  });

  it('of a job that is not kept, and of one that failed; not of one that runs again', async () => {
    for (const [opts, target, kept] of [
      [{ removeOnComplete: true }, 'completed', false],
      [{ removeOnFail: true }, 'failed', false],
      [{}, 'failed', false],
      [{ attempts: 2 }, 'failed', true],
    ] as const) {
      const queue = used.queue();
      await queue.seed(activeJob({ deid: 'd', opts }, { 'de:d': '1' }));
      const options = { token: 't1', retry: { mode: 'DEFAULT' as const } };
      const how = { jobId: '1', target, value: '1', fetchNext: false, options };
      await moveToFinished(used.store, queue.keys, how, NOW);
      expect('de:d' in (await queue.read())).toBe(kept);
    }
  });
});
