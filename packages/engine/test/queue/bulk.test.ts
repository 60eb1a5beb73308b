import {
  CleanQueueRequest,
  JobState,
  msToDuration,
  PromoteJobsRequest,
  RetryJobsRequest,
} from '@echomq/proto/messages';
import { describe, expect, it } from 'vitest';
import { queueService } from '../../src/services/queue/queue-service.js';
import { frozen, patient, refused, useServices } from '../use-services.js';

const used = useServices();
const service = () => queueService(used.deps);
const META = { 'opts.maxLenEvents': '10000' };
const ids = (count: number) => Array.from({ length: count }, (_, i) => `j${i}`);
const scores = (count: number, first = 1) =>
  Object.fromEntries(ids(count).map((id, i) => [id, first + i]));
const jobs = (count: number, more: Record<string, string> = {}) =>
  Object.fromEntries(ids(count).map((id) => [id, more]));

const retry = (part: Parameters<typeof RetryJobsRequest.fromPartial>[0]) =>
  service().retryJobs(frozen(RetryJobsRequest.fromPartial(part)), patient);
const promote = (part: Parameters<typeof PromoteJobsRequest.fromPartial>[0]) =>
  service().promoteJobs(frozen(PromoteJobsRequest.fromPartial(part)), patient);

describe('RetryJobs', () => {
  it('makes failed jobs ready again, a part per call', async () => {
    const queue = used.queue();
    await queue.seed({ meta: META, failed: scores(700), jobs: jobs(700, { failedReason: 'x' }) });
    const moved: number[] = [];
    let cursor = '';
    do {
      const answer = await retry({ queue: queue.name, limit: 300, cursor });
      moved.push(answer.moved);
      cursor = answer.nextCursor;
    } while (cursor !== '');
    expect(moved).toEqual([300, 300, 100]);
    const dump = await queue.read();
    expect(dump.failed).toBeUndefined();
    expect(dump.wait).toEqual(ids(700).reverse());
    expect(dump.j0).not.toHaveProperty('failedReason');
    expect(dump.marker).toEqual([['0', 0]]);
  });

  it('comes to an end although jobs fail again meanwhile', async () => {
    const queue = used.queue();
    await queue.seed({ meta: META, failed: scores(4), jobs: jobs(4) });
    let cursor = '';
    let calls = 0;
    do {
      const answer = await retry({ queue: queue.name, limit: 2, cursor });
      cursor = answer.nextCursor;
      // What was made ready fails again at once.
      const again = await used.redis.client.lrange(queue.key('wait'), 0, -1);
      await used.redis.client.del(queue.key('wait'));
      for (const id of again)
        await used.redis.client.zadd(queue.key('failed'), Date.now() + 9e4, id);
      calls++;
    } while (cursor !== '' && calls < 10);
    expect(calls).toBe(2);
  });

  it('takes those of a name, of an age, and forgets their attempts', async () => {
    const queue = used.queue();
    const now = Date.now();
    await queue.seed({
      meta: META,
      failed: { a: now - 90_000, b: now - 80_000, c: now - 70_000, d: now },
      jobs: {
        a: { name: 'mail', atm: 3, ats: 4 },
        b: { name: 'other' },
        c: { name: 'mail' },
        d: { name: 'mail' },
      },
    });
    const part = {
      queue: queue.name,
      nameFilter: 'mail',
      olderThan: msToDuration(60_000),
      resetAttempts: true,
      limit: 1,
    };
    const first = await retry(part);
    expect(first.moved).toBe(1);
    const second = await retry({ ...part, cursor: first.nextCursor });
    expect(second.moved).toBe(1);
    const third = second.nextCursor ? await retry({ ...part, cursor: second.nextCursor }) : second;
    expect(third.nextCursor).toBe('');
    const dump = await queue.read();
    expect(dump.wait).toEqual(['c', 'a']);
    expect((dump.failed as [string, number][]).map(([id]) => id)).toEqual(['b', 'd']);
    expect(dump.a).not.toHaveProperty('atm');
    const other = retry({ ...part, nameFilter: 'x', cursor: first.nextCursor });
    expect(await refused(other)).toMatchObject({
      reason: 'INVALID_FIELD',
      metadata: { field: 'cursor' },
    });
  });

  it('takes completed ones when asked', async () => {
    const queue = used.queue();
    await queue.seed({ meta: META, completed: { a: 1 }, failed: { b: 1 }, jobs: { a: {}, b: {} } });
    const state = JobState.COMPLETED;
    expect(await retry({ queue: queue.name, state })).toEqual({ moved: 1, nextCursor: '' });
    expect((await queue.read()).wait).toEqual(['a']);
    const bad = retry({ queue: queue.name, state: JobState.ACTIVE });
    expect((await refused(bad)).metadata.field).toBe('state');
  });

  it('knows no unknown queue, and no part of more than 10,000', async () => {
    const queue = used.queue();
    expect((await refused(retry({ queue: queue.name }))).reason).toBe('QUEUE_NOT_FOUND');
    expect((await refused(promote({ queue: queue.name }))).reason).toBe('QUEUE_NOT_FOUND');
    const big = retry({ queue: queue.name, limit: 10_001 });
    expect((await refused(big)).metadata.field).toBe('limit');
    expect(await queue.read()).toEqual({});
  });
});

describe('PromoteJobs', () => {
  it('makes delayed jobs ready by their priority, a part per call', async () => {
    const queue = used.queue();
    const due = (n: number) => (Date.now() + 60_000 + n) * 4_096;
    await queue.seed({
      meta: META,
      delayed: { a: due(0), b: due(1), c: due(2) },
      jobs: { a: { delay: 1 }, b: { delay: 1, priority: 4 }, c: { delay: 1 } },
    });
    const first = await promote({ queue: queue.name, limit: 2 });
    expect(first.moved).toBe(2);
    expect((await queue.read()).prioritized).toEqual([['b', 4 * 2 ** 32 + 1]]);
    const second = await promote({ queue: queue.name, limit: 2, cursor: first.nextCursor });
    expect(second).toEqual({ moved: 1, nextCursor: '' });
    expect(await queue.read()).toMatchObject({ wait: ['c', 'a'], a: { delay: '0' } });
  });

  it('takes those of a name', async () => {
    const queue = used.queue();
    await queue.seed({
      meta: META,
      delayed: { a: 9e15, b: 9e15, ghost: 9e15 },
      jobs: { a: { name: 'x' }, b: { name: 'y' } },
    });
    const request = { queue: queue.name, nameFilter: 'y' };
    expect(await promote(request)).toEqual({ moved: 1, nextCursor: '' });
    expect((await queue.read()).wait).toEqual(['b']);
  });
});

describe('DrainQueue', () => {
  it('removes what waits to run, the delayed ones if asked, and leaves no ghost of a schedule', async () => {
    const queue = used.queue();
    const run = 'repeat:s:1000';
    const state = {
      meta: META,
      wait: ['a', run, 'b'],
      prioritized: { c: 1 },
      delayed: { d: 9e15 },
      active: ['e'],
      repeat: { s: 1_000 },
      'repeat:s': { ic: 1, name: 's' },
      jobs: { a: {}, b: {}, c: {}, d: {}, e: {}, [run]: { rjk: 's' } },
    };
    await queue.seed(state);
    const drain = (includeDelayed: boolean) =>
      service().drainQueue(frozen({ queue: queue.name, includeDelayed }), patient);
    expect(await drain(false)).toEqual({ removed: 3 });
    const dump = await queue.read();
    expect([dump.wait, dump.active, dump.prioritized]).toEqual([[run], ['e'], undefined]);
    expect(Object.keys(dump)).toEqual(expect.arrayContaining(['d', 'e', run]));
    expect(await drain(true)).toEqual({ removed: 1 });
    expect(await drain(true)).toEqual({ removed: 0 });
    const unknown = service().drainQueue({ queue: 'none', includeDelayed: true }, patient);
    expect((await refused(unknown)).reason).toBe('QUEUE_NOT_FOUND');
  });
});

describe('CleanQueue', () => {
  const clean = (part: Parameters<typeof CleanQueueRequest.fromPartial>[0]) =>
    service().cleanQueue(frozen(CleanQueueRequest.fromPartial(part)), patient);

  it('removes finished jobs by their age, oldest first, a part per call', async () => {
    const queue = used.queue();
    const now = Date.now();
    await queue.seed({
      meta: META,
      completed: { a: now - 90_000, b: now - 80_000, c: now - 70_000, d: now },
      jobs: { a: {}, b: {}, c: {}, d: {} },
    });
    const request = {
      queue: queue.name,
      state: JobState.COMPLETED,
      olderThan: msToDuration(60_000),
      limit: 2,
    };
    expect(await clean(request)).toEqual({ jobIds: ['a', 'b'], count: 2, more: true });
    expect(await clean(request)).toEqual({ jobIds: ['c'], count: 1, more: false });
    expect(Object.keys(await queue.read()).sort()).toEqual(['completed', 'd', 'events', 'meta']);
  });

  it('goes on beyond one script', async () => {
    const queue = used.queue();
    await queue.seed({ meta: META, failed: scores(1_200), jobs: jobs(1_200) });
    const request = { queue: queue.name, state: JobState.FAILED, limit: 10_000 };
    expect(await clean(request)).toMatchObject({ count: 1_200, more: false });
  });

  it('leaves running jobs', async () => {
    const queue = used.queue();
    await queue.seed({
      meta: META,
      active: ['a', 'b'],
      jobs: { a: { timestamp: 1 }, b: { timestamp: 1 } },
      locks: { a: 't' },
    });
    const request = { queue: queue.name, state: JobState.ACTIVE };
    expect((await clean(request)).jobIds).toEqual(['b']);
    expect((await queue.read()).active).toEqual(['a']);
  });

  it('lets a parent that loses its last child go on', async () => {
    const queue = used.queue();
    const parent = JSON.stringify({ id: 'p', queueKey: `bull:${queue.name}` });
    await queue.seed({
      meta: META,
      'waiting-children': { p: 1 },
      'p:dependencies': [`bull:${queue.name}:c`],
      failed: { c: 1 },
      jobs: { p: {}, c: { parent, parentKey: `bull:${queue.name}:p` } },
    });
    await clean({ queue: queue.name, state: JobState.FAILED });
    expect((await queue.read()).wait).toEqual(['p']);
  });

  it.each<[string, Parameters<typeof CleanQueueRequest.fromPartial>[0], string]>([
    ['no state', {}, 'state'],
    ['a state without a place', { state: JobState.UNKNOWN }, 'state'],
    ['too much', { state: JobState.FAILED, limit: 10_001 }, 'limit'],
    ['a negative age', { state: JobState.FAILED, olderThan: { seconds: -1 } }, 'older_than'],
  ])('refuses %s', async (_, part, field) => {
    const call = clean({ queue: 'none', ...part });
    expect((await refused(call)).metadata.field).toBe(field);
  });
});
