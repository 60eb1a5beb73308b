import type { SetJobDataRequest } from '@echomq/proto/messages';
import { ChildFilter } from '@echomq/proto/messages';
import type { FreshQueue, QueueState } from '@echomq/testkit';
import { describe, expect, it } from 'vitest';
import { queueService } from '../../src/services/queue/queue-service.js';
import { frozen, patient, refused, useServices } from '../use-services.js';

const used = useServices();
const service = () => queueService(used.deps);
const META = { 'opts.maxLenEvents': '10000' };
const named = (queue: FreshQueue, jobId = '7') => ({ queue: queue.name, jobId });

/** A job that somebody else runs, with two log lines. */
const RUNNING: QueueState = {
  meta: META,
  active: ['7'],
  jobs: { 7: { data: '{"a":1}', opts: '{"kl":3}' } },
  locks: { 7: 't' },
  '7:logs': ['1', '2'],
};

async function seeded(state: QueueState = RUNNING): Promise<FreshQueue> {
  const queue = used.queue();
  await queue.seed(state);
  return queue;
}

describe('writes of somebody who holds no lease', () => {
  const writes: [string, string, (of: SetJobDataRequest) => Promise<unknown>][] = [
    ['SetJobData', 'data', (of) => service().setJobData(of, patient)],
    [
      'SetJobProgress',
      'progress',
      ({ data, ...job }) => service().setJobProgress(frozen({ ...job, progress: data }), patient),
    ],
  ];

  it.each(writes)('%s stores the bytes as they came and moves nothing', async (_, field, write) => {
    const queue = await seeded();
    const { 7: job, ...places } = await queue.read();
    const text = '{ "b": 1.10, "é": null }';
    expect(await write({ ...named(queue), data: Buffer.from(text) })).toEqual({});
    const { 7: after, events = [], ...left } = await queue.read();
    expect(after).toEqual({ ...(job as object), [field]: text });
    expect(left).toEqual(places);
    const told = [{ event: 'progress', jobId: '7', data: text }];
    expect(events).toEqual(field === 'progress' ? told : []);
  });

  it.each(writes)(
    '%s refuses what is no JSON, what is too large and what is gone',
    async (_, field, write) => {
      const queue = await seeded();
      const before = await queue.read();
      const call = (data: Buffer, jobId = '7') => write({ ...named(queue, jobId), data });
      expect(await refused(call(Buffer.from('{')))).toMatchObject({
        reason: 'PAYLOAD_NOT_JSON',
        metadata: { field },
      });
      const large = Buffer.from(`"${'x'.repeat(used.deps.limits.maxPayloadBytes)}"`);
      expect((await refused(call(large))).reason).toBe('PAYLOAD_TOO_LARGE');
      for (const id of ['8', 'meta', '7:logs']) {
        const answer = await refused(call(Buffer.from('1'), id));
        expect([answer.code, answer.reason]).toEqual(['NOT_FOUND', 'JOB_NOT_FOUND']);
      }
      expect((await refused(call(Buffer.from('1'), ''))).metadata.field).toBe('job_id');
      expect(await queue.read()).toEqual(before);
    },
  );

  it('a record of a scheduler is no job', async () => {
    const queue = await seeded();
    await used.redis.client.hset(queue.key('repeat:s'), { name: 's', every: '1000', ic: '1' });
    const before = await queue.read();
    for (const [, , write] of writes) {
      const call = write({ ...named(queue, 'repeat:s'), data: Buffer.from('1') });
      expect((await refused(call)).reason).toBe('JOB_NOT_FOUND');
    }
    expect(await queue.read()).toEqual(before);
  });
});

describe('AddJobLogs', () => {
  const add = (
    queue: FreshQueue,
    lines: string[],
    more: { keep?: number; requestId?: string } = {},
  ) => service().addJobLogs(frozen({ ...named(queue), lines, requestId: '', ...more }), patient);

  it('appends, and keeps what the options or the call say', async () => {
    const queue = await seeded();
    expect(await add(queue, ['3', '4'])).toEqual({ total: 3 });
    expect((await queue.read())['7:logs']).toEqual(['2', '3', '4']);
    expect(await add(queue, ['5'], { keep: 1 })).toEqual({ total: 1 });
    expect((await queue.read())['7:logs']).toEqual(['5']);
  });

  it('appends nothing when the request comes again', async () => {
    const queue = await seeded();
    const requestId = 'r1';
    expect(await add(queue, ['3'], { requestId })).toEqual({ total: 3 });
    expect(await add(queue, ['3'], { requestId })).toEqual({ total: 3 });
    expect((await queue.read())['7:logs']).toEqual(['1', '2', '3']);
    expect((await refused(add(queue, ['4'], { requestId }))).reason).toBe('REQUEST_ID_REUSED');
  });

  it('refuses no line, too many, and a job that is gone, which gets no log', async () => {
    const queue = await seeded();
    expect((await refused(add(queue, []))).metadata.field).toBe('lines');
    const many = Array.from({ length: used.deps.limits.maxLogLines + 1 }, () => 'x');
    expect((await refused(add(queue, many))).metadata.field).toBe('lines');
    const gone = used.queue();
    expect((await refused(add(gone, ['x']))).reason).toBe('JOB_NOT_FOUND');
    expect(await gone.read()).toEqual({});
  });
});

describe('ClearJobLogs', () => {
  const clear = (queue: FreshQueue, keep: number) =>
    service().clearJobLogs(frozen({ ...named(queue), keep }), patient);

  it('removes the oldest, or all', async () => {
    const queue = await seeded();
    expect(await clear(queue, 5)).toEqual({ removed: 0 });
    expect(await clear(queue, 1)).toEqual({ removed: 1 });
    expect((await queue.read())['7:logs']).toEqual(['2']);
    expect(await clear(queue, 0)).toEqual({ removed: 1 });
    expect(await queue.read()).not.toHaveProperty('7:logs');
    expect((await refused(clear(used.queue(), 0))).reason).toBe('JOB_NOT_FOUND');
  });
});

describe('a parent and its children', () => {
  /** A parent with a child that waits, one that runs and one that has completed. */
  async function family(): Promise<FreshQueue> {
    const queue = used.queue();
    const parentKey = queue.key('7');
    const parent = JSON.stringify({ id: '7', queueKey: parentKey.slice(0, -2) });
    const child = { parentKey, parent };
    await queue.seed({
      meta: META,
      'waiting-children': { 7: 5 },
      wait: ['a'],
      active: ['b'],
      completed: { c: 5 },
      jobs: { 7: {}, a: child, b: child, c: child },
      locks: { b: 't' },
      '7:dependencies': [queue.key('a'), queue.key('b')],
      '7:processed': { [queue.key('c')]: '3' },
    });
    return queue;
  }

  it('RemoveUnprocessedChildren takes those that wait, and lets the parent go with the last', async () => {
    const queue = await family();
    const call = () => service().removeUnprocessedChildren(frozen(named(queue)), patient);
    expect(await call()).toEqual({ removed: 1 });
    const dump = await queue.read();
    expect(dump).not.toHaveProperty('a');
    expect(dump['7:dependencies']).toEqual([queue.key('b')]);
    expect(dump['waiting-children']).toEqual([['7', 5]]);
    await used.redis.client.del(queue.key('b:lock'));
    expect(await call()).toEqual({ removed: 1 });
    expect(await queue.read()).toMatchObject({ wait: ['7'], marker: [['0', 0]] });
    const gone = service().removeUnprocessedChildren(named(queue, '8'), patient);
    expect((await refused(gone)).reason).toBe('JOB_NOT_FOUND');
  });

  it('RemoveChildDependency cuts one tie, and lets the parent go with the last', async () => {
    const queue = await family();
    const cut = (id: string) => service().removeChildDependency(frozen(named(queue, id)), patient);
    expect(await cut('a')).toEqual({ removed: true });
    expect(await cut('a')).toEqual({ removed: false });
    expect(await cut('c')).toEqual({ removed: false });
    expect((await queue.read())['waiting-children']).toEqual([['7', 5]]);
    expect(await cut('b')).toEqual({ removed: true });
    const dump = await queue.read();
    expect(dump.wait).toEqual(['a', '7']);
    for (const id of ['a', 'b']) expect(dump[id]).not.toHaveProperty('parentKey');
    expect((await refused(cut('8'))).reason).toBe('JOB_NOT_FOUND');
  });

  it('RemoveChildDependency says that the parent is gone', async () => {
    const queue = await family();
    await used.redis.client.del(queue.key('7'));
    const before = await queue.read();
    const answer = await refused(service().removeChildDependency(named(queue, 'a'), patient));
    expect([answer.code, answer.reason]).toEqual(['FAILED_PRECONDITION', 'PARENT_JOB_NOT_FOUND']);
    expect(await queue.read()).toEqual(before);
  });

  it('ListChildren pages over them, by what became of them', async () => {
    const queue = await family();
    const list = (filter: ChildFilter, pageToken = '') =>
      service().listChildren(frozen({ ...named(queue), filter, pageSize: 1, pageToken }), patient);
    const done = await list(ChildFilter.PROCESSED);
    expect(done).toMatchObject({ children: [{ jobId: 'c', outcome: { $case: 'value' } }] });
    const first = await list(ChildFilter.PENDING);
    const second = await list(ChildFilter.PENDING, first.nextPageToken);
    const ids = [...first.children, ...second.children].map(({ jobId }) => jobId);
    expect([ids, second.nextPageToken]).toEqual([['a', 'b'], '']);
    const foreign = list(ChildFilter.PROCESSED, first.nextPageToken);
    expect((await refused(foreign)).metadata.field).toBe('page_token');
    const page = { filter: ChildFilter.PENDING, pageSize: 1, pageToken: '' };
    const gone = service().listChildren({ ...named(queue, '8'), ...page }, patient);
    expect((await refused(gone)).reason).toBe('JOB_NOT_FOUND');
  });
});
