import {
  AddJobsRequest,
  AddJobsResponse,
  AddMode,
  AddOutcome,
  Code,
  ErrorInfo,
  JobState,
} from '@echomq/proto/messages';
import { describe, expect, it } from 'vitest';
import { producerService } from '../../src/services/producer/producer-service.js';
import { depsOf, frozen, patient, refused, useServices } from '../use-services.js';

const used = useServices();
type Part = Parameters<typeof AddJobsRequest.fromPartial>[0];

function addJobs(part: Part, deps = used.deps): Promise<AddJobsResponse> {
  const request = frozen(AddJobsRequest.fromPartial(part));
  return producerService(deps).addJobs(request, patient);
}

/** Ids and reasons of the results, in order. */
function told({ results }: AddJobsResponse): string[] {
  return results.map(({ result }) => {
    if (result?.$case === 'added') return result.value.jobId;
    const info = result?.value.details[0]?.value ?? Buffer.alloc(0);
    return ErrorInfo.decode(info).reason;
  });
}

const item = (name: string, more: object = {}) => ({ name, ...more });

describe('AddJobs, ATOMIC', () => {
  it.each([AddMode.ATOMIC, AddMode.UNSPECIFIED])('adds all in order (mode %i)', async (mode) => {
    const queue = used.queue();
    const items = [
      item('a', { data: Buffer.from('[1]') }),
      item('b', { options: { priority: 1 } }),
      item('c', { options: { jobId: 'x' } }),
      item('d', { options: { jobId: 'x' } }),
    ];
    const answer = await addJobs({ queue: queue.name, items, mode });
    expect(answer.duplicateRequest).toBe(false);
    const added = answer.results.map(({ result }) => result?.value);
    expect(added).toEqual([
      { jobId: '1', outcome: AddOutcome.CREATED, existingJobId: '', state: JobState.WAITING },
      { jobId: '2', outcome: AddOutcome.CREATED, existingJobId: '', state: JobState.PRIORITIZED },
      { jobId: 'x', outcome: AddOutcome.CREATED, existingJobId: '', state: JobState.WAITING },
      { jobId: 'x', outcome: AddOutcome.EXISTING, existingJobId: 'x', state: JobState.WAITING },
    ]);
    const dump = await queue.read();
    expect([dump.wait, dump.prioritized]).toEqual([['x', '1'], [['2', 2 ** 32 + 1]]]);
    expect(dump[1]).toMatchObject({ name: 'a', data: '[1]' });
  });

  it('adds nothing when an item is bad, and names it', async () => {
    const queue = used.queue();
    const bad: [object, string, string][] = [
      [{ data: Buffer.from('{') }, 'PAYLOAD_NOT_JSON', 'items[2].data'],
      [{ name: '' }, 'INVALID_FIELD', 'items[2].name'],
      [{ queue: 'a:b' }, 'INVALID_FIELD', 'items[2].queue'],
      [{ queue: 'other' }, 'INVALID_FIELD', 'items[2].queue'],
      [{ options: { jobId: '5' } }, 'CUSTOM_JOB_ID_INVALID', 'items[2].options.job_id'],
      [{ parent: { queue: queue.name, jobId: 'no' } }, 'PARENT_JOB_NOT_FOUND', 'items[2].parent'],
    ];
    for (const [more, reason, field] of bad) {
      const items = [item('a'), item('b'), item('c', more)];
      const refusal = await refused(addJobs({ queue: queue.name, items }));
      expect([refusal.reason, refusal.metadata.field]).toEqual([reason, field]);
    }
    expect(await queue.read()).toEqual({});
  });

  it('keeps to its bounds', async () => {
    const queue = used.queue();
    const many = Array.from({ length: 1_001 }, () => item('a'));
    expect((await refused(addJobs({ queue: queue.name, items: many }))).metadata).toEqual({
      field: 'items',
    });
    const data = Buffer.from(`"${'x'.repeat(300_000)}"`);
    const large = Array.from({ length: 4 }, () => item('a', { data }));
    expect(await refused(addJobs({ queue: queue.name, items: large }))).toMatchObject({
      reason: 'PAYLOAD_TOO_LARGE',
      metadata: { field: 'items', limitBytes: '1048576' },
    });
    expect(await queue.read()).toEqual({});
    expect((await addJobs({ queue: queue.name, items: [] })).results).toEqual([]);
    expect((await addJobs({ queue: '', items: [] })).results).toEqual([]);
  });

  it('adds a thousand', async () => {
    const queue = used.queue();
    const items = Array.from({ length: 1_000 }, (_, i) => item(`n${i}`));
    const { results } = await addJobs({ queue: queue.name, items });
    expect(told({ results, duplicateRequest: false })).toEqual(items.map((_, i) => String(i + 1)));
    expect(await used.redis.client.llen(queue.key('wait'))).toBe(1_000);
  });

  it('refuses a mode that it does not know', async () => {
    const mode = 9 as typeof AddMode.ATOMIC;
    expect((await refused(addJobs({ queue: 'q', mode }))).metadata.field).toBe('mode');
  });
});

describe('AddJobs, PER_ITEM', () => {
  it('answers for each item, in order, over several queues', async () => {
    const [queue, other] = [used.queue(), used.queue()];
    const answer = await addJobs({
      queue: queue.name,
      mode: AddMode.PER_ITEM,
      items: [
        item('a'),
        item('b', { data: Buffer.from('nope') }),
        item('c', { queue: other.name }),
        item(''),
        item('e', { parent: { queue: queue.name, jobId: 'gone' } }),
        item('f', { options: { deduplication: { id: 'x' } } }),
        item('g'),
      ],
    });
    expect(told(answer)).toEqual([
      '1',
      'PAYLOAD_NOT_JSON',
      '1',
      'INVALID_FIELD',
      'PARENT_JOB_NOT_FOUND',
      '2',
      '3',
    ]);
    const codes = answer.results.map(({ result }) =>
      result?.$case === 'error' ? result.value.code : Code.OK,
    );
    expect(codes).toEqual([0, 3, 0, 3, 9, 0, 0]);
    expect((await queue.read()).wait).toEqual(['3', '2', '1']);
    expect((await other.read()).wait).toEqual(['1']);
    expect(AddJobsResponse.decode(AddJobsResponse.encode(answer).finish())).toEqual(answer);
  });

  it('refuses more bytes than a message should have', async () => {
    const queue = used.queue();
    const deps = depsOf(used.client, { maxResponseBytes: 10 });
    const items = [
      item('a', { data: Buffer.from('123456') }),
      item('b', { data: Buffer.from('12345') }),
    ];
    const call = addJobs({ queue: queue.name, items, mode: AddMode.PER_ITEM }, deps);
    expect((await refused(call)).reason).toBe('PAYLOAD_TOO_LARGE');
    expect(await queue.read()).toEqual({});
  });
});
