import { jobHash, type QueueDump, type QueueState } from '@echomq/testkit';
import { describe, expect, it } from 'vitest';
import { META, NOW, useStore } from '../../test/use-store.js';
import { type JobFault, repairJob } from './repairJob.js';

const used = useStore();

interface Case {
  readonly name: string;
  readonly id?: string;
  readonly fault: JobFault;
  readonly seen?: string;
  readonly before: QueueState;
  readonly after: QueueDump;
  readonly done: string;
}

const waiting = { event: 'waiting', jobId: '1' };
const marker = [['0', 0]] as [string, number][];
const finished = { finishedOn: 5, returnvalue: '1' };

const CASES: readonly Case[] = [
  {
    name: 'one that waits and has ended stays ended',
    fault: 'two-places',
    before: { wait: ['1', '2'], completed: { 1: 5 }, jobs: { 1: finished, 2: {} } },
    after: { wait: ['2'], completed: [['1', 5]], 1: jobHash(finished), 2: jobHash({}) },
    done: 'stays in completed',
  },
  {
    name: 'one that a worker holds stays with it',
    fault: 'two-places',
    before: { wait: ['1'], active: ['1'], jobs: { 1: {} }, locks: { 1: 't' } },
    after: { active: ['1'], 1: jobHash({}), '1:lock': 't' },
    done: 'stays in active',
  },
  {
    name: 'active without a lock is no reason to stay there',
    fault: 'two-places',
    before: { wait: ['1'], active: ['1'], jobs: { 1: {} } },
    after: { wait: ['1'], 1: jobHash({}) },
    done: 'stays in wait',
  },
  {
    name: 'of one list twice, the entry that runs first stays',
    fault: 'two-places',
    before: { wait: ['1', '2', '1', '3'], jobs: { 1: {}, 2: {}, 3: {} } },
    after: { wait: ['2', '1', '3'], 1: jobHash({}), 2: jobHash({}), 3: jobHash({}) },
    done: 'stays in wait',
  },
  {
    name: 'an id without a job goes',
    fault: 'ghost',
    before: { wait: ['1', '2', '1'], delayed: { 1: 4 }, stalled: ['1'], jobs: { 2: {} } },
    after: { wait: ['2'], 2: jobHash({}) },
    done: 'removed the id',
  },
  {
    name: 'an entry that is no id goes',
    id: '0:77',
    fault: 'marker-entry',
    before: { wait: ['1', '0:77'], jobs: { 1: {} } },
    after: { wait: ['1'], 1: jobHash({}) },
    done: 'removed the id',
  },
  {
    name: 'a job in no place waits again, and a worker is woken',
    fault: 'orphan',
    before: { meta: META, jobs: { 1: {} } },
    after: { meta: META, wait: ['1'], marker, events: [waiting], 1: jobHash({}) },
    done: 'put back into wait',
  },
  {
    name: 'one with a priority by it',
    fault: 'orphan',
    before: { meta: META, jobs: { 1: { priority: 2 } } },
    after: {
      ...{ meta: META, marker, events: [waiting], pc: '1', 1: jobHash({ priority: 2 }) },
      prioritized: [['1', 2 * 2 ** 32 + 1]],
    },
    done: 'put back into prioritized',
  },
  {
    name: 'one that is not due yet until then',
    fault: 'orphan',
    before: { meta: META, jobs: { 1: { timestamp: NOW, delay: 500 } } },
    after: {
      ...{ meta: META, delayed: [['1', (NOW + 500) * 4096]], marker: [['1', NOW + 500]] },
      events: [{ event: 'delayed', jobId: '1', delay: `${NOW + 500}` }],
      1: jobHash({ timestamp: NOW, delay: 500 }),
    },
    done: 'put back into delayed',
  },
  {
    name: 'one that has ended stays ended',
    fault: 'orphan',
    before: { jobs: { 1: { finishedOn: 5, failedReason: 'x' } } },
    after: { failed: [['1', 5]], 1: jobHash({ finishedOn: 5, failedReason: 'x' }) },
    done: 'put back into failed',
  },
  {
    name: 'one that a worker holds stays with it, one with children waits for them',
    fault: 'orphan',
    before: { jobs: { 1: {} }, locks: { 1: 't' } },
    after: { active: ['1'], 1: jobHash({}), '1:lock': 't' },
    done: 'put back into active',
  },
  {
    name: 'one with children waits for them',
    fault: 'orphan',
    before: { jobs: { 1: {} }, '1:dependencies': ['bull:q:2'] },
    after: {
      ...{ 'waiting-children': [['1', NOW]], 1: jobHash({}), '1:dependencies': ['bull:q:2'] },
    },
    done: 'put back into waiting-children',
  },
  {
    name: 'a lock of a job that is not active goes',
    fault: 'stray-lock',
    before: { wait: ['1'], jobs: { 1: {} }, locks: { 1: 't' } },
    after: { wait: ['1'], 1: jobHash({}) },
    done: 'removed the lock',
  },
  {
    name: 'an active job without a lock is left to the sweep',
    fault: 'unleased',
    seen: '7',
    before: { active: ['1'], jobs: { 1: { processedOn: 7 } } },
    after: { active: ['1'], stalled: ['1'], 1: jobHash({ processedOn: 7 }) },
    done: 'left to the stalled sweep',
  },
];

describe('repairJob', () => {
  it.each(CASES)('moves: $name', async ({ id = '1', fault, seen = '', before, after, done }) => {
    const queue = used.queue();
    await queue.seed(before);
    const asked = { id, fault, seen };
    expect(await repairJob(used.store, queue.keys, asked, NOW)).toBe(done);
    expect(await queue.read()).toEqual(after);
    // A second time nothing is wrong.
    if (fault === 'unleased') return;
    expect(await repairJob(used.store, queue.keys, asked, NOW)).toBe('');
    expect(await queue.read()).toEqual(after);
  });

  it.each([
    ['two-places', { wait: ['1'], jobs: { 1: {} } }],
    ['ghost', { wait: ['1'], jobs: { 1: {} } }],
    // Whoever holds it will hear that the job is gone.
    ['ghost', { active: ['1'], locks: { 1: 't' } }],
    ['orphan', { wait: ['1'], jobs: { 1: {} } }],
    ['orphan', {}],
    ['stray-lock', { active: ['1'], jobs: { 1: {} }, locks: { 1: 't' } }],
    // Another run than the one that was seen.
    ['unleased', { active: ['1'], jobs: { 1: { processedOn: 8 } } }],
    ['unleased', { active: ['1'], jobs: { 1: { processedOn: 7 } }, locks: { 1: 't' } }],
  ] as const)('%s: writes nothing where it is not so', async (fault, state) => {
    const queue = used.queue();
    await queue.seed(state as QueueState);
    const before = await queue.read();
    expect(await repairJob(used.store, queue.keys, { id: '1', fault, seen: '7' }, NOW)).toBe('');
    expect(await queue.read()).toEqual(before);
  });

  it('writes nothing where a key holds something else', async () => {
    const queue = used.queue();
    await queue.seed({ wait: 'text', jobs: { 1: {} } });
    const before = await queue.read();
    const call = repairJob(used.store, queue.keys, { id: '1', fault: 'orphan' }, NOW);
    await expect(call).rejects.toMatchObject({ name: 'ContractBroken' });
    expect(await queue.read()).toEqual(before);
  });
});
