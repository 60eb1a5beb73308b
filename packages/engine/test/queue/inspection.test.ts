import { type Fault, InspectQueueRequest } from '@echomq/proto/messages';
import type { FreshQueue, QueueState } from '@echomq/testkit';
import { describe, expect, it } from 'vitest';
import { faultName } from '../../src/inspection/fault.js';
import { queueService } from '../../src/services/queue/queue-service.js';
import { frozen, patient, refused, useServices } from '../use-services.js';

const used = useServices();
const service = () => queueService(used.deps);

/** All parts of InspectQueue. */
async function inspect(queue: FreshQueue): Promise<Fault[]> {
  const faults: Fault[] = [];
  let pageToken = '';
  do {
    const request = frozen(InspectQueueRequest.fromPartial({ queue: queue.name, pageToken }));
    const part = await service().inspectQueue(request, patient);
    faults.push(...part.faults);
    pageToken = part.nextPageToken;
  } while (pageToken !== '');
  return faults;
}

const again = async (queue: FreshQueue, faults: Fault[]) => {
  const request = { queue: queue.name, pageToken: '', again: faults };
  return (await service().inspectQueue(frozen(request), patient)).faults;
};

const repair = async (queue: FreshQueue, faults: readonly Fault[]) => {
  const request = frozen({ queue: queue.name, faults: [...faults] });
  return (await service().repairQueue(request, patient)).repairs;
};

/** As if it had been seen three seconds ago. */
const aged = (fault: Fault): Fault => ({ ...fault, seenAt: new Date(Date.now() - 3_000) });

const line = ({ kind, subject, unsettled }: Fault) =>
  `${faultName(kind)} ${subject}${unsettled ? ' ?' : ''}`;

const META = { 'opts.maxLenEvents': '10000', version: 'echomq:0.1.0' };

async function seeded(state: QueueState) {
  const queue = used.queue();
  await queue.seed({ meta: META, ...state });
  return queue;
}

describe('InspectQueue and RepairQueue', () => {
  it('find nothing in a queue at work, and change nothing', async () => {
    const queue = await seeded({
      wait: ['1', '2'],
      active: ['3'],
      prioritized: { 4: 5 },
      delayed: { 5: 9e15 },
      'waiting-children': { 6: 1 },
      completed: { 7: 1 },
      failed: { 8: 1, kid: 1 },
      'de:x': '1',
      'de:ttl': 'gone',
      '1:logs': ['line'],
      ttls: { 'de:ttl': 60_000 },
      locks: { 3: 't' },
      jobs: { 1: {}, 2: {}, 3: {}, 4: {}, 5: {}, 6: {}, 7: {}, 8: {} },
    });
    // A child that has failed holds its parent: somebody may try it again.
    await queue.seed({ jobs: { kid: { parentKey: queue.key('6') } } });
    await queue.seed({ '6:dependencies': [queue.key('kid')] });
    const before = await queue.read();
    expect(await inspect(queue)).toEqual([]);
    expect(await queue.read()).toEqual(before);
  });

  it('name each broken id and why, and mend it', async () => {
    const queue = await seeded({
      wait: ['twice', 'ok', 'twice', 'both', '0:99', 'ghost'],
      paused: ['parked'],
      completed: { both: 5, gone: 6 },
      priority: ['old'],
      'waiting-children': { alone: 1, robbed: 1 },
      repeat: { bare: 77, halted: 1 },
      'repeat:halted': { name: 'tick', ic: '3', every: '3600000' },
      'de:stray': 'nobody',
      locks: { ok: 'token' },
      jobs: {
        ...{ twice: {}, ok: {}, parked: {}, lost: {}, alone: {}, robbed: {} },
        both: { finishedOn: 5, returnvalue: '1' },
      },
    });
    await queue.seed({ 'robbed:dependencies': [queue.key('nobody'), queue.key('ok')] });
    const found = await inspect(queue);
    expect([...new Set(found.map(line))].sort()).toEqual([
      'DEDUPLICATION_STRAY stray',
      'IN_TWO_PLACES both',
      'IN_TWO_PLACES twice',
      'JOB_LOST lost',
      'JOB_MISSING ghost',
      'JOB_MISSING gone',
      'LEASE_STRAY ok',
      'LEGACY_ENTRY 0:99',
      'LEGACY_KEY priority',
      'MARKER_MISSING marker ?',
      'PARENT_STUCK alone ?',
      'PARENT_STUCK robbed ?',
      'PARKED paused',
      'SCHEDULER_MISSING bare ?',
      'SCHEDULER_STOPPED halted ?',
    ]);
    const why = new Map(found.map(({ subject, why }) => [subject, why]));
    expect(why.get('both')).toBe('it stands in wait and completed');
    expect(why.get('twice')).toBe('it stands in wait (2 times)');
    expect(why.get('paused')).toBe(
      '1 jobs are parked there as BullMQ 5 does, and the queue is not paused',
    );
    const settled = await again(queue, found);
    expect(settled.map(line)).toEqual(found.map((one) => line({ ...one, unsettled: false })));
    const repairs = await repair(queue, settled);
    const undone = repairs
      .filter(({ done }) => done === '')
      .flatMap(({ fault }) => (fault ? [line(fault)] : []));
    // The one that was put back has set the marker already.
    expect(undone.filter((each) => !each.startsWith('MARKER_MISSING'))).toEqual([]);
    expect(await inspect(queue)).toEqual([]);
    const dump = await queue.read();
    expect(dump).toMatchObject({ completed: [['both', 5]], marker: expect.anything() });
    expect([...(dump.wait as string[])].sort()).toEqual(
      ['alone', 'lost', 'ok', 'parked', 'robbed', 'twice'].sort(),
    );
    expect(dump.repeat).toEqual([['halted', expect.any(Number)]]);
    expect(dump).not.toHaveProperty('priority');
  });

  it('takes an active job without a lease for lost only after two looks, and only that run', async () => {
    const queue = await seeded({ active: ['1', '2'], jobs: { 1: { processedOn: 7 }, 2: {} } });
    const found = await inspect(queue);
    expect(found.map(line)).toEqual(['LEASE_MISSING 1 ?', 'LEASE_MISSING 2 ?']);
    const error = await refused(repair(queue, found));
    expect(error).toMatchObject({ reason: 'INVALID_FIELD' });
    // Between the two looks job 1 was taken anew, and its lock lapsed again.
    await queue.seed({ jobs: { 1: { processedOn: 8 } } });
    const settled = await again(queue, found.map(aged));
    expect(settled.map(line)).toEqual(['LEASE_MISSING 2']);
    const repairs = await repair(queue, found.map(aged));
    expect(repairs.map(({ done }) => done)).toEqual(['', 'left to the stalled sweep']);
    const dump = await queue.read();
    expect(dump).toMatchObject({ active: ['1'], wait: ['2'], 2: { stc: '1' } });
  });

  it('tells a stopped scheduler from one at its end, and makes the next run', async () => {
    const at = Date.now() - 60_000;
    const queue = await seeded({
      repeat: { ended: at, removed: at + 1e9 },
      'repeat:ended': { name: 'a', ic: '2', every: '1000', limit: '2' },
      'repeat:removed': { name: 'b', ic: '1', pattern: '0 0 * * *' },
      completed: { [`repeat:ended:${at}`]: 1 },
      jobs: { [`repeat:ended:${at}`]: { rjk: 'ended', opts: { repeat: { count: 2 } } } },
    });
    const found = await inspect(queue);
    expect(found.map(line)).toEqual(['SCHEDULER_STOPPED removed ?']);
    const [repaired] = await repair(queue, found);
    expect(repaired?.done).toBe('made the next run');
    expect(await inspect(queue)).toEqual([]);
  });

  it('leaves jobs that BullMQ 5 has parked of a queue that it paused', async () => {
    const meta = { ...META, version: 'bullmq:5.81.5', paused: '1' };
    const queue = await seeded({ paused: ['1'], jobs: { 1: {} }, meta });
    expect(await inspect(queue)).toEqual([]);
    const mixed = await seeded({ paused: ['1'], jobs: { 1: {} }, meta: { ...META, paused: '1' } });
    const found = await inspect(mixed);
    expect(found.map(line)).toEqual(['PARKED paused']);
    await repair(mixed, found);
    expect(await mixed.read()).toMatchObject({ wait: ['1'], meta: { paused: '1' } });
  });

  it('name a key that holds something else, and mend none of it', async () => {
    const queue = await seeded({ completed: 'text', jobs: { lost: {} } });
    const found = await inspect(queue);
    expect(found.map(line)).toEqual(['WRONG_TYPE completed', 'JOB_LOST lost']);
    const [first] = await repair(queue, found.slice(0, 1));
    expect(first?.done).toBe('');
  });

  it('go part by part through queues of any size', async () => {
    const ids = Array.from({ length: 1_200 }, (_, n) => `j${n}`);
    const jobs = Object.fromEntries(ids.map((id) => [id, {}]));
    const queue = await seeded({ wait: ids.slice(0, 1_150), marker: { 0: 0 }, jobs });
    const lost = await inspect(queue);
    expect(lost).toHaveLength(50);
    await repair(queue, lost);
    expect(await inspect(queue)).toEqual([]);
    expect((await queue.read()).wait).toHaveLength(1_200);
  });

  it('refuse what cannot be', async () => {
    const queue = await seeded({ wait: ['1'] });
    const ask = (part: Partial<InspectQueueRequest>) => {
      const request = InspectQueueRequest.fromPartial({ queue: queue.name, ...part });
      return refused(service().inspectQueue(frozen(request), patient));
    };
    expect(await ask({ pageToken: 'nonsense' })).toMatchObject({ reason: 'INVALID_FIELD' });
    expect(await ask({ queue: 'nobody-knows' })).toMatchObject({ reason: 'QUEUE_NOT_FOUND' });
    const faults = [{ kind: 1, subject: '' } as Fault];
    expect(
      await refused(
        repair(
          queue,
          faults.map((f) => ({ ...f, other: '', evidence: '' }) as Fault),
        ),
      ),
    ).toMatchObject({
      reason: 'INVALID_FIELD',
    });
  });
});
