import { LeaseStatus } from '@echomq/proto/messages';
import { eventually, type QueueDump } from '@echomq/testkit';
import { describe, expect, it } from 'vitest';
import {
  add,
  checkBooks,
  complete,
  fail,
  finish,
  LOCK_MS,
  PATIENCE_MS,
  type RawClient,
  refusalOf,
  span,
  takeOne,
  useRig,
} from '../../src/index.js';

const rig = useRig();
const BYTES = Buffer.from('7');
const REMOVED = { removeOnComplete: { rule: { $case: 'remove', value: true } } } as const;
type Lease = Awaited<ReturnType<typeof takeOne>>['lease'];

/** Every write of somebody who shows a lease. */
const asOwner = (raw: RawClient, lease: Lease): (() => Promise<unknown>)[] => [
  () => raw.call('worker', 'updateProgress', { lease, progress: BYTES }),
  () => raw.call('worker', 'appendLogs', { lease, lines: ['late'] }),
  () => raw.call('worker', 'updateJobData', { lease, data: BYTES }),
  () => finish(raw, { lease }, complete('late')),
  () => finish(raw, { lease }, fail('late')),
];

/** Every write of an operator. */
const asOperator = (raw: RawClient, queue: string, jobId: string): (() => Promise<unknown>)[] => [
  () => raw.call('queue', 'setJobProgress', { queue, jobId, progress: BYTES }),
  () => raw.call('queue', 'setJobData', { queue, jobId, data: BYTES }),
  () => raw.call('queue', 'addJobLogs', { queue, jobId, lines: ['late'] }),
];

/** What a lock that is over is called, with and without somebody else who has the job. */
const LOST = /^(FAILED_PRECONDITION (LOCK_LOST|LOCK_NOT_OWNED)|NOT_FOUND JOB_NOT_FOUND)$/;

/** A queue without what sweeps and notes write. */
function jobsIn(dump: QueueDump): object {
  const passing = /^(events|marker|stalled|stalled-check|meta:.*)$/;
  return Object.fromEntries(Object.entries(dump).filter(([key]) => !passing.test(key)));
}

async function refused(writes: readonly (() => Promise<unknown>)[]): Promise<string[]> {
  const answers: string[] = [];
  for (const write of writes) {
    const { status, reason } = await refusalOf(write());
    answers.push(`${status} ${reason}`);
  }
  return answers;
}

describe('writes that come after the job has gone', () => {
  it.each(['its end', 'a removal by hand'])(
    'T129 update re-creates removed job: after %s each is told so, and nothing is made anew',
    async (what) => {
      const queue = rig.freshQueue();
      const raw = rig.raw();
      const options = { jobId: 'same', ...REMOVED };
      await add(raw, queue.name, options, { n: 1 });
      const { lease } = await takeOne(raw, queue.name);
      if (what === 'its end') await finish(raw, { lease }, complete());
      else {
        const removal = { queue: queue.name, jobId: 'same', force: true };
        await raw.call('queue', 'removeJob', removal);
      }
      const before = jobsIn(await queue.read());
      const answers = await refused([
        ...asOwner(raw, lease),
        ...asOperator(raw, queue.name, 'same'),
      ]);
      expect(new Set(answers)).toEqual(new Set(['NOT_FOUND JOB_NOT_FOUND']));
      const extended = await raw.call('worker', 'extendLocks', { leases: [lease] });
      expect(extended.leases).toMatchObject([{ status: LeaseStatus.NOT_FOUND }]);
      expect(jobsIn(await queue.read())).toEqual(before);
      expect(Object.keys(await queue.read()).filter((key) => key.startsWith('same'))).toEqual([]);
      // The id is free for a job of its own.
      await add(raw, queue.name, options, { n: 2 });
      const again = await takeOne(raw, queue.name);
      expect([again.data.toString(), again.attempt]).toEqual(['{"n":2}', 1]);
      await finish(raw, again, complete());
    },
  );
});

describe('writes of a worker whose job another one runs', () => {
  it('T130 ex-owner writes: all are refused, and the record shows the second run alone', async () => {
    const queue = rig.freshQueue();
    const [first, second] = [rig.raw(), rig.raw()];
    const id = await add(first, queue.name, { attempts: 3 });
    const lost = await takeOne(first, queue.name, { lockDuration: span(LOCK_MS) });
    const held = await takeOne(second, queue.name, { wait: span(PATIENCE_MS) });
    expect(held.lease.jobId).toBe(id);
    await second.call('worker', 'updateProgress', {
      lease: held.lease,
      progress: Buffer.from('1'),
    });
    await second.call('worker', 'appendLogs', { lease: held.lease, lines: ['second'] });
    const before = await queue.read();
    const answers = await refused(asOwner(first, lost.lease));
    expect(answers.filter((answer) => !LOST.test(answer))).toEqual([]);
    const extended = await first.call('worker', 'extendLocks', { leases: [lost.lease] });
    expect(extended.leases).toMatchObject([{ status: LeaseStatus.NOT_OWNED }]);
    const after = await queue.read();
    expect([after[id], after[`${id}:logs`], after[`${id}:lock`]]).toEqual([
      before[id],
      ['second'],
      held.lease.leaseToken,
    ]);
    await finish(second, held, complete('second'));
    await eventually(async () =>
      expect(await queue.read()).toMatchObject({ [id]: { returnvalue: '"second"', atm: '1' } }),
    );
    expect(checkBooks(await queue.read(), { accepted: [id], atRest: true })).toEqual([]);
  });
});
