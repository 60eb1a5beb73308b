import { jobHash } from '@echomq/testkit';
import { describe, expect, it } from 'vitest';
import { eventLines, META, NOW, refusal, useStore } from '../../test/use-store.js';
import { changeDelay } from './changeDelay.js';

const used = useStore();
const DUE = NOW + 900;
const delayed = {
  meta: META,
  delayed: { 1: 9e15, 2: DUE * 4096 },
  jobs: { 1: { delay: 5 }, 2: {} },
};

describe('changeDelay', () => {
  describe('moves', () => {
    it('a delayed job to another due time, behind those of the same millisecond', async () => {
      const queue = used.queue();
      await queue.seed(delayed);
      const change = { jobId: '1', until: { delayMs: 900 } };
      expect(await changeDelay(used.store, queue.keys, change, NOW)).toBe(DUE);
      expect(await queue.read()).toEqual({
        delayed: [
          ['2', DUE * 4096],
          ['1', DUE * 4096 + 1],
        ],
        1: jobHash({ delay: 900 }),
        2: jobHash({}),
        meta: META,
        marker: [['1', DUE]],
        events: [{ event: 'delayed', jobId: '1', delay: `${DUE}` }],
      });
    });

    it('to an instant, which may have passed', async () => {
      const queue = used.queue();
      await queue.seed(delayed);
      const to = (dueAt: number) =>
        changeDelay(used.store, queue.keys, { jobId: '1', until: { dueAt } }, NOW);
      expect(await to(NOW + 7)).toBe(NOW + 7);
      expect(await queue.read()).toMatchObject({ 1: { delay: '7' } });
      expect(await to(NOW - 7)).toBe(NOW);
      expect((await queue.read()).delayed).toContainEqual(['1', NOW * 4096]);
    });
  });

  it.each([
    ['JOB_NOT_FOUND', 'x'],
    ['JOB_NOT_IN_STATE', '3'],
  ])('rejects %s, and writes nothing', async (reason, jobId) => {
    const queue = used.queue();
    await queue.seed(delayed);
    await queue.seed({ wait: ['3'], jobs: { 3: {} } });
    const change = { jobId, until: { delayMs: 5 } };
    const call = () => changeDelay(used.store, queue.keys, change, NOW);
    expect(await refusal(queue, call)).toBe(reason);
  });

  it('wakes at the next due time of all, also in a paused queue', async () => {
    const queue = used.queue();
    await queue.seed({ ...delayed, meta: { ...META, paused: 1 } });
    await changeDelay(used.store, queue.keys, { jobId: '1', until: { delayMs: 9e6 } }, NOW);
    expect((await queue.read()).marker).toEqual([['1', DUE]]);
  });

  it('announces delayed with the instant', async () => {
    const queue = used.queue();
    await queue.seed(delayed);
    await changeDelay(used.store, queue.keys, { jobId: '1', until: { delayMs: 900 } }, NOW);
    expect(eventLines(await queue.read())).toEqual([`event=delayed jobId=1 delay=${DUE}`]);
  });
});
