import { jobHash } from '@echomq/testkit';
import { describe, expect, it } from 'vitest';
import { extendLocks } from '../src/transitions/extendLocks.js';
import { moveBatch } from '../src/transitions/moveBatch.js';
import { moveJobFromActiveToWait } from '../src/transitions/moveJobFromActiveToWait.js';
import { moveStalledJobsToWait } from '../src/transitions/moveStalledJobsToWait.js';
import { moveToActive } from '../src/transitions/moveToActive.js';
import { moveToDelayed } from '../src/transitions/moveToDelayed.js';
import { moveToFinished } from '../src/transitions/moveToFinished.js';
import { META, NOW, type TestQueue, useStore } from './use-store.js';

const used = useStore();
const MARK = { 'echomq.unbegun': `${NOW}` };
const WORKER = { token: 't', lockDuration: 60_000 };

/** A job that was handed to a worker whose slots are taken; its lock has run out. */
async function handedOut(queue: TestQueue, { begun = false, stc = 0 } = {}): Promise<void> {
  await queue.seed({ wait: ['1'], jobs: { 1: stc === 0 ? {} : { stc } }, meta: META });
  await moveToActive(used.store, queue.keys, { ...WORKER, buffered: true }, NOW);
  if (begun) {
    const lease = { id: '1', token: 't', lockDuration: 60_000, begun };
    expect(await extendLocks(used.store, queue.keys, [lease])).toEqual(['EXTENDED']);
  }
}

async function sweepWithoutLock(queue: TestQueue) {
  await used.store.command('DEL', [queue.keys.lock('1')]);
  await used.store.command('SADD', [queue.keys.stalled, '1']);
  const options = { maxStalledCount: 1, stalledInterval: 60_000, force: true };
  return moveStalledJobsToWait(used.store, queue.keys, options, NOW);
}

describe('a run that was only handed out', () => {
  it('is marked by its fetch, and by no other', async () => {
    const [queue, other] = [used.queue(), used.queue()];
    await handedOut(queue);
    expect((await queue.read())['1']).toEqual(
      jobHash({ ats: 1, processedOn: NOW, 'echomq.unbegun': NOW }),
    );
    await other.seed({ wait: ['1'], jobs: { 1: {} }, meta: META });
    await moveToActive(used.store, other.keys, WORKER, NOW);
    expect((await other.read())['1']).toEqual(jobHash({ ats: 1, processedOn: NOW }));
  });

  it('is marked where it comes with the end of another', async () => {
    for (const end of ['finish', 'delay'] as const) {
      const queue = used.queue();
      await queue.seed({ wait: ['2'], active: ['1'], jobs: { 1: {}, 2: {} }, locks: { 1: 'a' } });
      const next = { lockDuration: 60_000, buffered: true };
      if (end === 'finish') {
        const options = { token: 'a', nextToken: 't', ...next };
        const finish = { jobId: '1', target: 'completed', value: '1', fetchNext: true } as const;
        await moveToFinished(used.store, queue.keys, { ...finish, options }, NOW);
      } else {
        const delay = { jobId: '1', token: 'a', until: { delayMs: 5 }, skipAttempt: true };
        const fetchNext = { token: 't', ...next };
        await moveToDelayed(used.store, queue.keys, { ...delay, fetchNext }, NOW);
      }
      expect((await queue.read())['2']).toMatchObject(MARK);
    }
  });

  it('loses the mark when its worker has begun it, at the word of its owner alone', async () => {
    const queue = used.queue();
    await handedOut(queue);
    const lease = { id: '1', lockDuration: 60_000, begun: true };
    const before = await queue.read();
    for (const token of ['former', '', '0']) {
      expect(await extendLocks(used.store, queue.keys, [{ ...lease, token }])).toEqual([
        'LOCK_NOT_OWNED',
      ]);
    }
    await extendLocks(used.store, queue.keys, [{ ...lease, token: 't', begun: false }]);
    expect(await queue.read()).toEqual(before);
    await extendLocks(used.store, queue.keys, [{ ...lease, token: 't' }]);
    expect((await queue.read())['1']).toEqual(jobHash({ ats: 1, processedOn: NOW }));
  });

  it('does not stall: it goes to the front, uncounted and unannounced', async () => {
    const queue = used.queue();
    await handedOut(queue, { stc: 1 });
    await queue.seed({ events: [] });
    expect(await sweepWithoutLock(queue)).toEqual({
      recovered: ['1'],
      failed: [],
      unbegun: 1,
      more: false,
    });
    const dump = await queue.read();
    expect(dump).toMatchObject({ wait: ['1'], marker: [['0', 0]] });
    expect(dump['1']).toMatchObject({ stc: '1', ...MARK });
    expect(JSON.stringify(dump.events)).not.toContain('stalled');
  });

  it('is next taken for a free slot only: then it counts, so it cannot take workers with it for ever', async () => {
    const queue = used.queue();
    await handedOut(queue, { stc: 1 });
    await sweepWithoutLock(queue);
    await used.store.command('DEL', [queue.keys.marker]);
    const before = await queue.read();
    const buffered = { ...WORKER, token: 'u', buffered: true };
    const fetch = () => moveToActive(used.store, queue.keys, buffered, NOW + 1);
    expect(await fetch()).toEqual({ kind: 'unbuffered' });
    // Whoever has a free slot is woken.
    expect(await queue.read()).toEqual({ ...before, marker: [['0', 0]] });
    expect(await moveToActive(used.store, queue.keys, WORKER, NOW + 2)).toMatchObject({
      kind: 'job',
    });
    expect(await sweepWithoutLock(queue)).toMatchObject({ recovered: [], failed: ['1'] });
  });

  it.each([
    ['waits', {}, { wait: ['2', '1'] }],
    ['has a priority', { priority: 3 }, { prioritized: [['1', 3_000]], wait: [] }],
  ] as const)(
    'stays in its place where it %s and comes with the end of another, alone or not',
    async (_where, fields, places) => {
      for (const together of [false, true]) {
        const queue = used.queue();
        const marked = { ...fields, processedOn: NOW - 5, 'echomq.unbegun': NOW - 5 };
        const locks = { 8: 'a', 9: 'b' };
        await queue.seed({ ...places, active: ['9', '8'], locks, meta: META } as never);
        await queue.seed({ jobs: { 1: marked, 2: {}, 8: {}, 9: {} } });
        const before = await queue.read();
        const end = (jobId: string, token: string) => {
          const options = {
            token,
            nextToken: `next-${jobId}`,
            lockDuration: 60_000,
            buffered: true,
          };
          return { jobId, target: 'completed', value: '1', fetchNext: true, options } as const;
        };
        const ends = [end('8', 'a'), end('9', 'b')] as const;
        const answers = together
          ? await moveBatch(used.store, queue.keys, ends, { now: NOW })
          : [
              await moveToFinished(used.store, queue.keys, ends[0], NOW),
              await moveToFinished(used.store, queue.keys, ends[1], NOW),
            ];
        for (const answer of answers) {
          expect(answer).toMatchObject({ branch: 'completed', next: { kind: 'unbuffered' } });
        }
        const after = await queue.read();
        for (const place of ['wait', 'prioritized', '1']) {
          expect(after[place]).toEqual(before[place]);
        }
        expect(after.active).toBeUndefined();
      }
    },
  );

  it('that was cancelled meanwhile ends without the mark', async () => {
    const queue = used.queue();
    await handedOut(queue);
    await queue.seed({ jobs: { 1: { ats: 1, processedOn: NOW, ...MARK, 'echomq.cancel': NOW } } });
    expect(await sweepWithoutLock(queue)).toMatchObject({ failed: ['1'] });
    expect((await queue.read())['1']).not.toHaveProperty('echomq.unbegun');
  });

  it('stalls once it has begun', async () => {
    const queue = used.queue();
    await handedOut(queue, { begun: true, stc: 1 });
    expect(await sweepWithoutLock(queue)).toMatchObject({ recovered: [], failed: ['1'] });
  });

  it('stalls in a later run that began at once, whatever an earlier one left behind', async () => {
    const queue = used.queue();
    await queue.seed({ wait: ['1'], meta: META });
    await queue.seed({ jobs: { 1: { stc: 1, 'echomq.unbegun': NOW - 5, processedOn: NOW - 5 } } });
    await moveToActive(used.store, queue.keys, WORKER, NOW);
    expect(await sweepWithoutLock(queue)).toMatchObject({ recovered: [], failed: ['1'] });
  });

  it('leaves no mark where it is given back', async () => {
    const queue = used.queue();
    await handedOut(queue);
    await moveJobFromActiveToWait(used.store, queue.keys, { jobId: '1', token: 't' });
    expect((await queue.read())['1']).toEqual(jobHash({ ats: 1, processedOn: NOW }));
  });
});
