import {
  AddJobRequest,
  type AddJobResponse,
  AddOutcome,
  JobState,
  msToDuration,
  ParentFailurePolicy,
} from '@echomq/proto/messages';
import { describe, expect, it } from 'vitest';
import { producerService } from '../../src/services/producer/producer-service.js';
import { depsOf, frozen, patient, refused, useServices } from '../use-services.js';

const used = useServices();
type Part = Parameters<typeof AddJobRequest.fromPartial>[0];

function add(part: Part, context = patient): Promise<AddJobResponse> {
  const request = frozen(AddJobRequest.fromPartial({ name: 'send', ...part }));
  return producerService(used.deps).addJob(request, context);
}

const hash = (fields: Record<string, string>) => ({
  name: 'send',
  data: '{}',
  opts: '{"attempts":0}',
  timestamp: expect.stringMatching(/^\d{13}$/),
  delay: '0',
  priority: '0',
  ...fields,
});
const META = { 'opts.maxLenEvents': '10000' };

describe('AddJob', () => {
  it('adds a job that may run at once', async () => {
    const queue = used.queue();
    const data = Buffer.from(' {"to": "é😀", "n": 12345678901234567890}\n');
    expect(await add({ queue: queue.name, data })).toEqual({
      jobId: '1',
      outcome: AddOutcome.CREATED,
      existingJobId: '',
      state: JobState.WAITING,
      replayed: false,
    });
    expect(await queue.read()).toEqual({
      1: hash({ data: data.toString() }),
      wait: ['1'],
      id: '1',
      meta: META,
      marker: [['0', 0]],
      events: [
        { event: 'added', jobId: '1', name: 'send' },
        { event: 'waiting', jobId: '1' },
      ],
    });
  });

  it('adds one with all its options', async () => {
    const queue = used.queue();
    const options = {
      jobId: 'order-7',
      due: { $case: 'delay' as const, value: msToDuration(60_000) },
      priority: 5,
      attempts: 3,
      headers: { traceparent: '00-1-2-01' },
      extraOptsJson: Buffer.from('{"tm":"x"}'),
    };
    const answer = await add({ queue: queue.name, options });
    expect([answer.jobId, answer.state]).toEqual(['order-7', JobState.DELAYED]);
    const dump = await queue.read();
    expect(dump['order-7']).toEqual(
      hash({
        opts: '{"attempts":3,"delay":60000,"priority":5,"jobId":"order-7","headers":{"traceparent":"00-1-2-01"},"tm":"x"}',
        delay: '60000',
        priority: '5',
      }),
    );
    const { timestamp } = dump['order-7'] as Record<string, string>;
    expect(dump.delayed).toEqual([['order-7', (Number(timestamp) + 60_000) * 4_096]]);
    expect(Object.keys(dump).sort()).toEqual(
      ['delayed', 'events', 'id', 'marker', 'meta', 'order-7'].sort(),
    );
  });

  it('adds by priority, to the front, and for an instant', async () => {
    const queue = used.queue();
    const runAt = new Date(Date.now() + 3_600_000);
    await add({ queue: queue.name });
    const first = await add({ queue: queue.name, options: { lifo: true } });
    const ranked = await add({ queue: queue.name, options: { priority: 2 } });
    const later = await add({
      queue: queue.name,
      options: { due: { $case: 'runAt', value: runAt } },
    });
    expect([first.state, ranked.state, later.state]).toEqual([
      JobState.WAITING,
      JobState.PRIORITIZED,
      JobState.DELAYED,
    ]);
    const { wait, prioritized, delayed } = await queue.read();
    expect(wait).toEqual(['1', '2']);
    expect(prioritized).toEqual([['3', 2 * 2 ** 32 + 1]]);
    expect(delayed).toEqual([['4', runAt.getTime() * 4_096]]);
  });

  it('leaves a job that exists alone, and says where it is', async () => {
    const queue = used.queue();
    await queue.seed({ completed: { 'order-7': 1 }, jobs: { 'order-7': { name: 'old' } } });
    const before = await queue.read();
    const answer = await add({ queue: queue.name, options: { jobId: 'order-7' } });
    expect(answer).toEqual({
      jobId: 'order-7',
      outcome: AddOutcome.EXISTING,
      existingJobId: 'order-7',
      state: JobState.COMPLETED,
      replayed: false,
    });
    expect(await queue.read()).toEqual({
      ...before,
      id: '1',
      meta: META,
      events: [{ event: 'duplicated', jobId: 'order-7' }],
    });
  });

  it('goes round numbers that a raw writer took', async () => {
    const queue = used.queue();
    await queue.seed({ jobs: { 1: {}, 2: {} }, completed: { 1: 1, 2: 1 } });
    const ids = [await add({ queue: queue.name }), await add({ queue: queue.name })];
    expect(ids.map(({ jobId }) => jobId)).toEqual(['3', '4']);
  });

  it('links a job to its parent', async () => {
    const [queue, up] = [used.queue(), used.queue()];
    await up.seed({ 'waiting-children': { 'a:b:c': 1 }, jobs: { 'a:b:c': {} } });
    await add({
      queue: queue.name,
      parent: { queue: up.name, jobId: 'a:b:c' },
      options: { parentFailurePolicy: ParentFailurePolicy.FAIL_PARENT },
    });
    const queueKey = `bull:${up.name}`;
    expect((await queue.read())[1]).toEqual(
      hash({
        opts: `{"attempts":0,"fpof":true,"parent":{"id":"a:b:c","queue":"${queueKey}"}}`,
        parentKey: `${queueKey}:a:b:c`,
        parent: `{"id":"a:b:c","queueKey":"${queueKey}","fpof":true}`,
      }),
    );
    expect((await up.read())['a:b:c:dependencies']).toEqual([`bull:${queue.name}:1`]);
  });

  it.each<[string, Part, string, string]>([
    ['no queue', { queue: '' }, 'INVALID_FIELD', 'queue'],
    ['a colon in the queue', { queue: 'a:b' }, 'INVALID_FIELD', 'queue'],
    ['braces inside', { queue: 'a{b}' }, 'INVALID_FIELD', 'queue'],
    ['no name', { name: '' }, 'INVALID_FIELD', 'name'],
    ['no JSON', { data: Buffer.from('{') }, 'PAYLOAD_NOT_JSON', 'data'],
    ['too much', { data: Buffer.from(`"${'x'.repeat(1_048_575)}"`) }, 'PAYLOAD_TOO_LARGE', 'data'],
    [
      'more than the job allows',
      { data: Buffer.from('12345'), options: { sizeLimit: 4 } },
      'PAYLOAD_TOO_LARGE',
      'data',
    ],
    ['an integer as id', { options: { jobId: '12' } }, 'CUSTOM_JOB_ID_INVALID', 'options.job_id'],
    [
      'a negative delay',
      { options: { due: { $case: 'delay', value: { seconds: -1 } } } },
      'INVALID_FIELD',
      'options.delay',
    ],
    ['attempts of NaN', { options: { attempts: Number.NaN } }, 'INVALID_FIELD', 'options.attempts'],
    [
      'deduplication with a parent',
      { options: { deduplication: { id: 'x' } }, parent: { queue: 'up', jobId: '1' } },
      'INVALID_FIELD',
      'options.deduplication',
    ],
    [
      'deduplication without an id',
      { options: { deduplication: { id: '' } } },
      'INVALID_FIELD',
      'options.deduplication.id',
    ],
    [
      'a deduplication id with half a character',
      { options: { deduplication: { id: 'x\ud800' } } },
      'INVALID_FIELD',
      'options.deduplication.id',
    ],
    [
      'a deduplication id of more than 1,024 bytes',
      { options: { deduplication: { id: 'é'.repeat(513) } } },
      'INVALID_FIELD',
      'options.deduplication.id',
    ],
    [
      'a negative retention',
      { options: { removeOnFail: { rule: { $case: 'keep', value: { count: -1 } } } } },
      'INVALID_FIELD',
      'options.remove_on_fail.keep.count',
    ],
    [
      'a negative age',
      {
        options: {
          removeOnComplete: { rule: { $case: 'keep', value: { age: { seconds: -1 } } } },
        },
      },
      'INVALID_FIELD',
      'options.remove_on_complete.keep.age',
    ],
    [
      'a parent without an id',
      { parent: { queue: 'up', jobId: '' } },
      'INVALID_FIELD',
      'parent.job_id',
    ],
  ])('refuses %s and writes nothing', async (_, part, reason, field) => {
    const queue = used.queue();
    expect(await refused(add({ queue: queue.name, ...part }))).toMatchObject({
      code: 'INVALID_ARGUMENT',
      reason,
      metadata: { field },
    });
    expect(await queue.read()).toEqual({});
  });

  it('links a job that exists to its parent, unless it belongs to another that lives', async () => {
    const [queue, up] = [used.queue(), used.queue()];
    await up.seed({ 'waiting-children': { p: 1, q: 1 }, jobs: { p: {}, q: {} } });
    const request = (jobId: string) => ({
      queue: queue.name,
      parent: { queue: up.name, jobId },
      options: { jobId: 'mine' },
    });
    expect((await add(request('p'))).outcome).toBe(AddOutcome.CREATED);
    expect((await add(request('p'))).outcome).toBe(AddOutcome.EXISTING);
    expect((await up.read())['p:dependencies']).toEqual([`bull:${queue.name}:mine`]);
    const before = [await queue.read(), await up.read()];
    expect(await refused(add(request('q')))).toMatchObject({
      code: 'FAILED_PRECONDITION',
      reason: 'PARENT_JOB_CANNOT_BE_REPLACED',
    });
    expect([await queue.read(), await up.read()]).toEqual(before);
  });

  it('refuses a parent that is not there', async () => {
    const queue = used.queue();
    const parent = { queue: queue.name, jobId: 'gone' };
    expect(await refused(add({ queue: queue.name, parent }))).toMatchObject({
      code: 'FAILED_PRECONDITION',
      reason: 'PARENT_JOB_NOT_FOUND',
    });
    expect(await queue.read()).toEqual({});
  });

  it('sends nothing for a caller that no longer waits', async () => {
    const queue = used.queue();
    const gone = { signal: AbortSignal.abort() };
    const late = { signal: patient.signal, deadline: Date.now() - 1 };
    for (const context of [gone, late]) {
      expect((await refused(add({ queue: queue.name }, context))).reason).toBe('DEADLINE_EXCEEDED');
    }
    expect(await queue.read()).toEqual({});
    const early = { signal: patient.signal, deadline: Date.now() + 60_000 };
    expect((await add({ queue: queue.name }, early)).jobId).toBe('1');
  });

  it('tells a store that cannot be reached', async () => {
    const client = used.client.duplicate();
    await client.whenReady(AbortSignal.timeout(5_000));
    await client.close();
    const request = AddJobRequest.fromPartial({ queue: 'orders', name: 'send' });
    const call = producerService(depsOf(client)).addJob(request, patient);
    expect(['BACKEND_UNAVAILABLE', 'OUTCOME_UNKNOWN']).toContain((await refused(call)).reason);
  });
});
