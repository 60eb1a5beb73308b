import {
  AddJobRequest,
  type AddJobResponse,
  AddMode,
  AddOutcome,
  JobState,
  msToDuration,
} from '@echomq/proto/messages';
import { describe, expect, it } from 'vitest';
import { complete, fetchOf, finishOf, useEngine } from '../use-engine.js';
import { frozen, patient } from '../use-services.js';

const used = useEngine();
type Dedup = NonNullable<AddJobRequest['options']>['deduplication'];
type Options = NonNullable<Parameters<typeof AddJobRequest.fromPartial>[0]['options']>;

function add(
  queue: { readonly name: string },
  deduplication: Partial<NonNullable<Dedup>>,
  options: Options = {},
): Promise<AddJobResponse> {
  const request = AddJobRequest.fromPartial({
    queue: queue.name,
    name: 'send',
    options: { ...options, deduplication: { id: 'd', ...deduplication } },
  });
  return used.engine.services.producer.addJob(frozen(request), patient);
}

const told = ({ jobId, outcome, existingJobId, state }: AddJobResponse) => [
  jobId,
  outcome,
  existingJobId,
  state,
];
const later = { due: { $case: 'delay' as const, value: msToDuration(60_000) } };

describe('AddJob with deduplication', () => {
  it('keeps a second job out until the first has ended', async () => {
    const queue = used.queue();
    expect(told(await add(queue, {}))).toEqual(['1', AddOutcome.CREATED, '', JobState.WAITING]);
    const second = await add(queue, {});
    expect(told(second)).toEqual(['1', AddOutcome.DEDUPLICATED, '1', JobState.WAITING]);
    expect(await queue.read()).toMatchObject({ 'de:d': '1', wait: ['1'], 1: { deid: 'd' } });
    const { worker } = used.engine.services;
    const { jobs } = await worker.fetchJobs(fetchOf(queue), patient);
    expect(jobs[0]?.deduplicationId).toBe('d');
    expect(told(await add(queue, {}))[3]).toBe(JobState.ACTIVE);
    await worker.finishJob(finishOf(jobs[0], complete()), patient);
    expect((await add(queue, {})).outcome).toBe(AddOutcome.CREATED);
  });

  it('keeps others out for a time, and longer when asked', async () => {
    const queue = used.queue();
    const ttl = msToDuration(60_000);
    await add(queue, { ttl });
    await used.redis.client.pexpire(queue.key('de:d'), 5_000);
    expect((await add(queue, { ttl })).outcome).toBe(AddOutcome.DEDUPLICATED);
    expect((await queue.readTtls())['de:d']).toBeLessThanOrEqual(5_000);
    expect((await add(queue, { ttl, extend: true })).outcome).toBe(AddOutcome.DEDUPLICATED);
    expect((await queue.readTtls())['de:d']).toBeGreaterThan(5_000);
  });

  it('replaces a delayed job, and no other', async () => {
    const queue = used.queue();
    await add(queue, { replace: true }, later);
    const second = await add(queue, { replace: true }, later);
    expect(told(second)).toEqual(['2', AddOutcome.REPLACED, '1', JobState.DELAYED]);
    const dump = await queue.read();
    expect(dump).not.toHaveProperty('1');
    expect(dump.delayed).toEqual([['2', expect.any(Number)]]);
    const waiting = used.queue();
    await add(waiting, { replace: true });
    const kept = await add(waiting, { replace: true });
    expect(told(kept)).toEqual(['1', AddOutcome.DEDUPLICATED, '1', JobState.WAITING]);
  });

  it('keeps the last one while the first is active, and runs it next', async () => {
    const queue = used.queue();
    const last = { keepLastIfActive: true };
    await add(queue, last);
    const { worker } = used.engine.services;
    const { jobs } = await worker.fetchJobs(fetchOf(queue), patient);
    await add(queue, last);
    const third = await add(queue, last, { priority: 3 });
    expect(told(third)).toEqual(['1', AddOutcome.QUEUED_AS_NEXT, '1', JobState.ACTIVE]);
    await worker.finishJob(finishOf(jobs[0], complete()), patient);
    const next = await worker.fetchJobs(fetchOf(queue), patient);
    expect(next.jobs).toMatchObject([{ priority: 3, deduplicationId: 'd' }]);
    expect((await worker.fetchJobs(fetchOf(queue), patient)).jobs).toEqual([]);
  });

  it('moves a delayed job to a later time, and no other', async () => {
    const queue = used.queue();
    await add(queue, { reschedule: true }, later);
    const hour = { due: { $case: 'delay' as const, value: msToDuration(3_600_000) } };
    const second = await add(queue, { reschedule: true }, hour);
    expect(told(second)).toEqual(['1', AddOutcome.DEDUPLICATED, '1', JobState.DELAYED]);
    expect(await queue.read()).toMatchObject({ 1: { delay: '3600000' } });
    const ready = used.queue();
    await add(ready, { reschedule: true });
    expect(told(await add(ready, { reschedule: true }, hour))[3]).toBe(JobState.WAITING);
  });

  it('takes ids of any text', async () => {
    const queue = used.queue();
    for (const id of ['a:b', ' ', 'é😀', 'x\n\t\u0000y', '{}', '*?[']) {
      expect((await add(queue, { id })).outcome).toBe(AddOutcome.CREATED);
      expect((await add(queue, { id })).outcome).toBe(AddOutcome.DEDUPLICATED);
      expect(await queue.read()).toHaveProperty([`de:${id}`]);
    }
  });

  it('goes by itself for each item of AddJobs', async () => {
    const queue = used.queue();
    const { options } = AddJobRequest.fromPartial({ options: { deduplication: { id: 'd' } } });
    const item = { queue: '', name: 'n', data: Buffer.alloc(0), options, parent: undefined };
    for (const mode of [AddMode.ATOMIC, AddMode.PER_ITEM]) {
      const answer = await used.engine.services.producer.addJobs(
        { queue: queue.name, items: [item, item], mode, requestId: '' },
        patient,
      );
      const outcomes = answer.results.map(
        ({ result }) => result?.$case === 'added' && result.value.outcome,
      );
      expect(outcomes[1]).toBe(AddOutcome.DEDUPLICATED);
    }
    expect((await queue.read()).wait).toEqual(['1']);
  });

  it('RemoveDeduplicationKey lets the next one in', async () => {
    const queue = used.queue();
    await add(queue, {});
    const service = used.engine.services.queue;
    const request = { queue: queue.name, deduplicationId: 'd' };
    expect(await service.removeDeduplicationKey(request, patient)).toEqual({ removed: true });
    expect(await service.removeDeduplicationKey(request, patient)).toEqual({ removed: false });
    expect((await add(queue, {})).outcome).toBe(AddOutcome.CREATED);
  });

  it('T064 dedup key deleted by old job: belongs to the second owner when the first is removed', async () => {
    const queue = used.queue();
    const { worker, queue: admin } = used.engine.services;
    await add(queue, {});
    const { jobs } = await worker.fetchJobs(fetchOf(queue), patient);
    await worker.finishJob(finishOf(jobs[0], complete()), patient);
    await add(queue, {});
    const removal = { queue: queue.name, jobId: '1', removeChildren: false, force: false };
    await admin.removeJob({ ...removal, allowMissing: false }, patient);
    expect(told(await add(queue, {}))).toEqual(['2', AddOutcome.DEDUPLICATED, '2', 1]);
  });
});
