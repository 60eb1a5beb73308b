import {
  GetJobRequest,
  GetJobResponse,
  JobState,
  JobView,
  PromoteJobRequest,
  RemoveJobRequest,
  RetryJobRequest,
} from '@echomq/proto/messages';
import { describe, expect, it } from 'vitest';
import { queueService } from '../../src/services/queue/queue-service.js';
import { depsOf, frozen, patient, refused, useServices } from '../use-services.js';

const used = useServices();
const service = () => queueService(used.deps);
const META = { 'opts.maxLenEvents': '10000' };

describe('GetJob', () => {
  const get = (part: Parameters<typeof GetJobRequest.fromPartial>[0]) =>
    service().getJob(frozen(GetJobRequest.fromPartial(part)), patient);

  it('reads a job whole, and without its bodies in view BASIC', async () => {
    const queue = used.queue();
    await queue.seed({
      completed: { 7: 1_700_000_000_002 },
      jobs: {
        7: { data: ' [1]', opts: { attempts: 2 }, returnvalue: '{"a":1}', progress: '5', atm: 1 },
      },
    });
    const before = await queue.read();
    const whole = await get({ queue: queue.name, jobId: '7' });
    expect(whole.job).toMatchObject({
      queue: queue.name,
      jobId: '7',
      name: 'job',
      state: JobState.COMPLETED,
      data: Buffer.from(' [1]'),
      dataOmitted: false,
      dataSize: 4,
      returnValue: Buffer.from('{"a":1}'),
      attemptsMade: 1,
    });
    expect(GetJobResponse.decode(GetJobResponse.encode(whole).finish())).toEqual(whole);
    const { job } = await get({ queue: queue.name, jobId: '7', view: JobView.BASIC });
    expect(job).toMatchObject({ data: Buffer.alloc(0), dataOmitted: true, dataSize: 4 });
    expect(job?.returnValue.length).toBe(0);
    expect(await queue.read()).toEqual(before);
  });

  it('delivers bytes that are no text as they are', async () => {
    const queue = used.queue();
    await queue.seed({ wait: ['7'], jobs: { 7: {} } });
    const bytes = Buffer.from([0x22, 0xff, 0x00, 0xed, 0xa0, 0x80]);
    await used.redis.client.hset(queue.key('7'), 'data', bytes);
    expect((await get({ queue: queue.name, jobId: '7' })).job?.data).toEqual(bytes);
  });

  it('shows a corrupt job, and one that stands nowhere', async () => {
    const queue = used.queue();
    await queue.seed({ failed: { 7: 1 }, jobs: { 7: { opts: '{broken', data: 'x' }, 8: {} } });
    expect((await get({ queue: queue.name, jobId: '7' })).job?.options).toBeUndefined();
    expect((await get({ queue: queue.name, jobId: '8' })).job?.state).toBe(JobState.UNKNOWN);
  });

  it('leaves the payload out when it would not fit', async () => {
    const queue = used.queue();
    await queue.seed({ wait: ['7'], jobs: { 7: { data: `"${'x'.repeat(5_000)}"` } } });
    const small = queueService(depsOf(used.client, { maxResponseBytes: 2_000 }));
    const request = GetJobRequest.fromPartial({ queue: queue.name, jobId: '7' });
    expect((await small.getJob(request, patient)).job).toMatchObject({
      data: Buffer.alloc(0),
      dataOmitted: true,
      dataSize: 5_002,
    });
  });

  it('knows no job by the name of a key, by none, or of a foreign kind', async () => {
    const queue = used.queue();
    await queue.seed({ meta: META, wait: ['7'], jobs: { 7: {} }, text: 'x', '7:logs': ['a'] });
    for (const jobId of ['9', 'meta', 'wait', '7:logs', 'text', 'meta:counters:1']) {
      expect(await refused(get({ queue: queue.name, jobId }))).toEqual({
        code: 'NOT_FOUND',
        reason: 'JOB_NOT_FOUND',
        metadata: { queue: queue.name, job_id: jobId },
      });
    }
    expect((await refused(get({ queue: queue.name, jobId: '' }))).metadata.field).toBe('job_id');
    expect((await refused(get({ queue: 'a:b', jobId: '1' }))).metadata.field).toBe('queue');
  });
});

describe('GetJobState', () => {
  it('says where a job is', async () => {
    const queue = used.queue();
    await queue.seed({
      active: ['1'],
      wait: ['2'],
      paused: ['3'],
      'waiting-children': { 4: 1 },
      jobs: { 1: {}, 2: {}, 3: {}, 4: {}, 5: {} },
    });
    const stateOf = async (jobId: string) =>
      (await service().getJobState({ queue: queue.name, jobId }, patient)).state;
    const states = await Promise.all(['1', '2', '3', '4', '5'].map(stateOf));
    expect(states).toEqual([
      JobState.ACTIVE,
      JobState.WAITING,
      JobState.WAITING,
      JobState.WAITING_CHILDREN,
      JobState.UNKNOWN,
    ]);
    expect((await refused(stateOf('6'))).reason).toBe('JOB_NOT_FOUND');
  });
});

describe('PromoteJob', () => {
  const promote = (queue: string, jobId: string) =>
    service().promoteJob(frozen(PromoteJobRequest.fromPartial({ queue, jobId })), patient);

  it('makes a delayed job ready', async () => {
    const queue = used.queue();
    await queue.seed({ meta: META, delayed: { 7: 4_096 }, jobs: { 7: { delay: 1 } } });
    expect(await promote(queue.name, '7')).toEqual({});
    const dump = await queue.read();
    expect([dump.wait, dump.delayed]).toEqual([['7'], undefined]);
  });

  it('says where a job is that is not delayed', async () => {
    const queue = used.queue();
    await queue.seed({ meta: META, 'waiting-children': { 7: 1 }, jobs: { 7: {} } });
    const before = await queue.read();
    expect(await refused(promote(queue.name, '7'))).toEqual({
      code: 'FAILED_PRECONDITION',
      reason: 'JOB_NOT_IN_STATE',
      metadata: {
        queue: queue.name,
        job_id: '7',
        expected: 'DELAYED',
        actual: 'WAITING_CHILDREN',
      },
    });
    expect((await refused(promote(queue.name, '9'))).reason).toBe('JOB_NOT_FOUND');
    expect(await queue.read()).toEqual(before);
  });
});

describe('RetryJob', () => {
  const retry = (part: Parameters<typeof RetryJobRequest.fromPartial>[0]) =>
    service().retryJob(frozen(RetryJobRequest.fromPartial(part)), patient);

  it.each([
    ['failed', JobState.UNSPECIFIED],
    ['failed', JobState.FAILED],
    ['completed', JobState.UNSPECIFIED],
    ['completed', JobState.COMPLETED],
  ] as const)('runs a %s job again (state %i)', async (location, state) => {
    const queue = used.queue();
    const ended = { finishedOn: '5', processedOn: '4', atm: '2', ats: '2' };
    await queue.seed({ meta: META, [location]: { 7: 5 }, jobs: { 7: ended } });
    expect(await retry({ queue: queue.name, jobId: '7', state })).toEqual({});
    const dump = await queue.read();
    expect([dump.wait, dump[location]]).toEqual([['7'], undefined]);
    expect(dump[7]).toMatchObject({ atm: '2', ats: '2' });
    expect(dump[7]).not.toHaveProperty('finishedOn');
  });

  it('forgets the attempts when asked to', async () => {
    const queue = used.queue();
    await queue.seed({ meta: META, failed: { 7: 5 }, jobs: { 7: { atm: '2', ats: '2' } } });
    await retry({ queue: queue.name, jobId: '7', resetAttempts: true });
    expect((await queue.read())[7]).not.toHaveProperty('atm');
  });

  it('refuses jobs that are elsewhere', async () => {
    const queue = used.queue();
    await queue.seed({ meta: META, wait: ['7'], failed: { 8: 1 }, jobs: { 7: {}, 8: {}, 9: {} } });
    const before = await queue.read();
    const reasons = async (part: object) => {
      const { reason, metadata } = await refused(retry({ queue: queue.name, ...part }));
      return [reason, metadata.expected, metadata.actual];
    };
    expect(await reasons({ jobId: '7' })).toEqual([
      'JOB_NOT_IN_STATE',
      'COMPLETED or FAILED',
      'WAITING',
    ]);
    expect(await reasons({ jobId: '8', state: JobState.COMPLETED })).toEqual([
      'JOB_NOT_IN_STATE',
      'COMPLETED',
      'FAILED',
    ]);
    expect((await reasons({ jobId: '9' }))[2]).toBe('UNKNOWN');
    expect((await reasons({ jobId: '10' }))[0]).toBe('JOB_NOT_FOUND');
    const odd = retry({ queue: queue.name, jobId: '8', state: JobState.ACTIVE });
    expect((await refused(odd)).metadata.field).toBe('state');
    expect(await queue.read()).toEqual(before);
  });
});

describe('RemoveJob', () => {
  const remove = (part: Parameters<typeof RemoveJobRequest.fromPartial>[0]) =>
    service().removeJob(frozen(RemoveJobRequest.fromPartial(part)), patient);

  it('removes a job with its keys', async () => {
    const queue = used.queue();
    await queue.seed({ meta: META, wait: ['7'], jobs: { 7: {} }, '7:logs': ['a'] });
    expect(await remove({ queue: queue.name, jobId: '7' })).toEqual({ removed: true });
    expect(await queue.read()).toEqual({
      meta: META,
      events: [{ event: 'removed', jobId: '7', prev: 'wait' }],
    });
  });

  it('removes a running job only by force', async () => {
    const queue = used.queue();
    await queue.seed({ meta: META, active: ['7'], jobs: { 7: {} }, locks: { 7: 't' } });
    const before = await queue.read();
    expect(await refused(remove({ queue: queue.name, jobId: '7' }))).toMatchObject({
      code: 'FAILED_PRECONDITION',
      reason: 'JOB_LOCKED',
    });
    expect(await queue.read()).toEqual(before);
    expect(await remove({ queue: queue.name, jobId: '7', force: true })).toEqual({ removed: true });
    expect(Object.keys(await queue.read()).sort()).toEqual(['events', 'meta']);
  });

  it('takes a missing one for an error unless told otherwise', async () => {
    const queue = used.queue();
    const request = { queue: queue.name, jobId: '7' };
    expect((await refused(remove(request))).reason).toBe('JOB_NOT_FOUND');
    expect(await remove({ ...request, allowMissing: true })).toEqual({ removed: false });
    expect(await queue.read()).toEqual({});
  });

  it('never removes a key of the queue or of a job', async () => {
    const queue = used.queue();
    const state = {
      meta: META,
      'repeat:s': { name: 'x' },
      'meta:counters:1': { orphans: '1' },
      jobs: { 7: {} },
      wait: ['7'],
      '7:processed': { 'bull:c:1': '1' },
    };
    await queue.seed(state);
    const before = await queue.read();
    for (const jobId of ['meta', 'meta:counters:1', '7:processed', 'wait', 'repeat']) {
      const call = remove({ queue: queue.name, jobId, force: true });
      expect((await refused(call)).reason).toBe('JOB_NOT_FOUND');
    }
    expect(await queue.read()).toEqual(before);
  });

  it('takes the children with it, unless one of them is active', async () => {
    const [queue, other] = [used.queue(), used.queue()];
    const child = (id: string) => `bull:${other.name}:${id}`;
    await queue.seed({
      meta: META,
      'waiting-children': { p: 1 },
      jobs: { p: {} },
      'p:dependencies': [child('c'), child('d')],
      'p:processed': { [child('e')]: '1' },
    });
    const parent = JSON.stringify({ id: 'p', queueKey: `bull:${queue.name}` });
    const family = { parent, parentKey: `bull:${queue.name}:p` };
    await other.seed({
      meta: META,
      wait: ['c'],
      active: ['d'],
      completed: { e: 1 },
      jobs: { c: family, d: family, e: family },
      locks: { d: 't' },
    });
    const request = { queue: queue.name, jobId: 'p', removeChildren: true };
    const before = [await queue.read(), await other.read()];
    expect((await refused(remove(request))).reason).toBe('JOB_LOCKED');
    expect([await queue.read(), await other.read()]).toEqual(before);
    await used.redis.client.del(other.key('d:lock'));
    expect(await remove(request)).toEqual({ removed: true });
    // The marker of the moment in which the parent had no children left: it wakes one worker in vain.
    expect(Object.keys(await queue.read()).sort()).toEqual(['events', 'marker', 'meta']);
    expect(Object.keys(await other.read()).sort()).toEqual(['events', 'meta']);
  });
});
