import {
  GetJobCountsRequest,
  GetJobLogsRequest,
  JobState,
  ListQueuesRequest,
  msToDuration,
  SortOrder,
} from '@echomq/proto/messages';
import { describe, expect, it } from 'vitest';
import { queueService } from '../../src/services/queue/queue-service.js';
import { depsOf, frozen, patient, refused, useServices } from '../use-services.js';

const used = useServices();
const service = () => queueService(used.deps);

describe('GetJobCounts', () => {
  const counts = async (part: Parameters<typeof GetJobCountsRequest.fromPartial>[0]) => {
    const request = frozen(GetJobCountsRequest.fromPartial(part));
    return (await service().getJobCounts(request, patient)).counts;
  };

  it('counts the states asked for, each once, also those with none', async () => {
    const queue = used.queue();
    await queue.seed({ wait: ['1', '2'], paused: ['3'], failed: { 4: 1 } });
    const states = [JobState.WAITING, JobState.FAILED, JobState.ACTIVE, JobState.WAITING];
    expect(await counts({ queue: queue.name, states })).toEqual([
      { state: JobState.WAITING, count: 3 },
      { state: JobState.FAILED, count: 1 },
      { state: JobState.ACTIVE, count: 0 },
    ]);
  });

  it('has zeros for an unknown queue, and writes nothing', async () => {
    const queue = used.queue();
    const all = await counts({ queue: queue.name });
    expect(all.map(({ state }) => state).sort()).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(all.every(({ count }) => count === 0)).toBe(true);
    expect(await queue.read()).toEqual({});
    const bad = counts({ queue: queue.name, states: [JobState.UNKNOWN] });
    expect((await refused(bad)).metadata.field).toBe('states[0]');
  });
});

describe('GetJobLogs', () => {
  const logs = (part: Parameters<typeof GetJobLogsRequest.fromPartial>[0], deps = used.deps) =>
    queueService(deps).getJobLogs(frozen(GetJobLogsRequest.fromPartial(part)), patient);

  it('reads lines page by page in either direction', async () => {
    const queue = used.queue();
    await queue.seed({ wait: ['7'], jobs: { 7: {} }, '7:logs': ['a', 'b', 'c', 'd', 'e'] });
    const request = { queue: queue.name, jobId: '7', pageSize: 2 };
    const seen: string[][] = [];
    for (const order of [SortOrder.UNSPECIFIED, SortOrder.DESCENDING]) {
      let pageToken = '';
      do {
        const page = await logs({ ...request, order, pageToken });
        expect(page.total).toBe(5);
        seen.push(page.lines);
        pageToken = page.nextPageToken;
      } while (pageToken !== '');
    }
    expect(seen).toEqual([['a', 'b'], ['c', 'd'], ['e'], ['e', 'd'], ['c', 'b'], ['a']]);
  });

  it('bounds a page by bytes, and a line as well', async () => {
    const queue = used.queue();
    const rows = ['x'.repeat(600), 'y'.repeat(600), 'z'.repeat(3_000)];
    await queue.seed({ wait: ['7'], jobs: { 7: {} }, '7:logs': rows });
    const small = depsOf(used.client, { maxResponseBytes: 1_000 });
    const first = await logs({ queue: queue.name, jobId: '7' }, small);
    expect(first.lines).toEqual([rows[0]]);
    const request = { queue: queue.name, jobId: '7', pageToken: first.nextPageToken };
    const second = await logs(request, small);
    expect(second.lines).toEqual([rows[1]]);
    const third = await logs({ ...request, pageToken: second.nextPageToken }, small);
    expect([third.lines[0]?.length, third.nextPageToken]).toEqual([998, '']);
  });

  it('has no lines of a job without any, and none of a missing one', async () => {
    const queue = used.queue();
    await queue.seed({ wait: ['7'], jobs: { 7: {} } });
    const request = { queue: queue.name, jobId: '7' };
    expect(await logs(request)).toEqual({ lines: [], total: 0, nextPageToken: '' });
    expect((await refused(logs({ ...request, jobId: '8' }))).reason).toBe('JOB_NOT_FOUND');
    const bad = logs({ ...request, pageToken: 'x' });
    expect((await refused(bad)).metadata.field).toBe('page_token');
  });
});

describe('PauseQueue and ResumeQueue', () => {
  it('close and open the gate, as often as one likes', async () => {
    const queue = used.queue();
    const request = frozen({ queue: queue.name });
    expect(await service().pauseQueue(request, patient)).toEqual({});
    await service().pauseQueue(request, patient);
    expect((await queue.read()).meta).toEqual({ paused: '1' });
    expect((await service().getQueue(request, patient)).queue?.paused).toBe(true);
    expect(await service().resumeQueue(request, patient)).toEqual({});
    await service().resumeQueue(request, patient);
    expect((await queue.read()).meta).toBeUndefined();
  });

  it('bring back what a peer parked, before what came later', async () => {
    const queue = used.queue();
    await queue.seed({
      meta: { paused: 1, 'opts.maxLenEvents': '10000' },
      wait: ['3'],
      paused: ['2', '1'],
    });
    await service().resumeQueue({ queue: queue.name }, patient);
    const dump = await queue.read();
    expect([dump.wait, dump.paused, dump.marker]).toEqual([['3', '2', '1'], undefined, [['0', 0]]]);
  });

  it('refuse bad names', async () => {
    const call = service().pauseQueue({ queue: ' ' }, patient);
    expect((await refused(call)).metadata.field).toBe('queue');
  });
});

describe('GetQueue', () => {
  const getQueue = (queue: string) => service().getQueue(frozen({ queue }), patient);

  it('tells the settings', async () => {
    const queue = used.queue();
    await queue.seed({
      meta: {
        paused: 1,
        concurrency: 5,
        max: 10,
        duration: 1_000,
        'opts.maxLenEvents': 500,
        version: 'bullmq:6.7.0',
        other: 'x',
      },
    });
    expect(await getQueue(queue.name)).toEqual({
      queue: {
        queue: queue.name,
        paused: true,
        concurrency: 5,
        rateLimit: { max: 10, duration: msToDuration(1_000) },
        limits: { maxEvents: 500 },
        version: 'bullmq:6.7.0',
        maxed: false,
      },
    });
  });

  it('knows a queue by anything that was ever added, and by nothing else', async () => {
    const queue = used.queue();
    expect(await refused(getQueue(queue.name))).toEqual({
      code: 'NOT_FOUND',
      reason: 'QUEUE_NOT_FOUND',
      metadata: { queue: queue.name },
    });
    await queue.seed({ wait: ['1'], jobs: { 1: {} } });
    expect((await getQueue(queue.name)).queue).toEqual({
      queue: queue.name,
      paused: false,
      rateLimit: undefined,
      limits: undefined,
      version: '',
      maxed: false,
    });
  });

  it('reads over settings that make no sense', async () => {
    const queue = used.queue();
    await queue.seed({ meta: { concurrency: 'many', max: '-1', duration: '1' } });
    const { queue: info } = await getQueue(queue.name);
    expect([info?.concurrency, info?.rateLimit]).toEqual([undefined, undefined]);
    await queue.seed({ meta: { concurrency: 1 }, active: 'no list' });
    expect((await getQueue(queue.name)).queue?.maxed).toBe(false);
  });
});

describe('ListQueues', () => {
  const base = `ls-${Math.random().toString(36).slice(2)}-`;

  it('T048 one bad name breaks listing: finds queues page by page, and says what is wrong with what is none', async () => {
    for (const name of ['c', 'a', 'b']) {
      const queue = used.queue(base + name);
      await queue.seed({ meta: name === 'b' ? { paused: 1 } : { version: 'x' } });
    }
    const { client } = used.redis;
    await client.set(`bull:${base}text:meta`, 'no hash');
    await client.hset(`bull:${base}x:y:meta`, 'version', 'x');
    await client.hset(`bull:${base}br{ace:meta`, 'version', 'x');
    await client.hset(`other:${base}z:meta`, 'version', 'x');
    // Parts of a queue whose names end so.
    await client.set(`bull:${base}a:de:meta`, '1');
    await client.hset(`bull:${base}a:x:y:meta`, 'name', 'job');
    const seen: string[][] = [];
    let pageToken = '';
    do {
      const request = ListQueuesRequest.fromPartial({ pageSize: 2, pageToken, prefixFilter: base });
      const page = await service().listQueues(frozen(request), patient);
      seen.push(
        page.queues.map(({ queue, paused, problem }) =>
          [queue.slice(base.length), ...(paused ? ['paused'] : []), problem].join(' ').trim(),
        ),
      );
      pageToken = page.nextPageToken;
    } while (pageToken !== '');
    expect(seen).toEqual([
      ['a', 'b paused'],
      ['br{ace its name braces may only stand around the whole name', 'c'],
      ['text its meta key is no hash', 'x:y its name must not contain a colon'],
    ]);
  });

  it('finds a new one within seconds', async () => {
    let now = 0;
    const clock = { ...used.deps.clock, now: () => now };
    const queues = queueService({ ...used.deps, clock });
    const request = ListQueuesRequest.fromPartial({ prefixFilter: `${base}later` });
    const names = async () =>
      (await queues.listQueues(request, patient)).queues.map(({ queue }) => queue);
    expect(await names()).toEqual([]);
    await used.queue(`${base}later`).seed({ meta: { version: 'x' } });
    expect(await names()).toEqual([]);
    now = 5_000;
    expect(await names()).toEqual([`${base}later`]);
  });

  it('refuses a token that it did not give', async () => {
    const call = service().listQueues(ListQueuesRequest.fromPartial({ pageToken: 'x' }), patient);
    expect((await refused(call)).metadata.field).toBe('page_token');
  });
});
