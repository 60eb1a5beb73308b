import {
  type Job,
  JobState,
  JobView,
  ListJobsRequest,
  ListJobsResponse,
  SortOrder,
} from '@echomq/proto/messages';
import { describe, expect, it } from 'vitest';
import { queueService } from '../../src/services/queue/queue-service.js';
import { depsOf, frozen, patient, refused, useServices } from '../use-services.js';

const used = useServices();
type Part = Parameters<typeof ListJobsRequest.fromPartial>[0];

async function list(part: Part, deps = used.deps): Promise<ListJobsResponse> {
  const request = frozen(ListJobsRequest.fromPartial(part));
  const answer = await queueService(deps).listJobs(request, patient);
  expect(ListJobsResponse.decode(ListJobsResponse.encode(answer).finish())).toEqual(answer);
  return answer;
}

/** All pages, as ids. */
async function pages(part: Part, deps = used.deps): Promise<string[][]> {
  const all: string[][] = [];
  let pageToken = '';
  do {
    const page = await list({ ...part, pageToken }, deps);
    all.push(ids(page.jobs));
    pageToken = page.nextPageToken;
  } while (pageToken !== '');
  return all;
}

const ids = (jobs: readonly Job[]) => jobs.map(({ jobId }) => jobId);

/** A queue with jobs in every location; of each location the lower number is the older. */
async function seeded() {
  const queue = used.queue();
  const jobs = Object.fromEntries(Array.from({ length: 16 }, (_, i) => [String(i + 1), {}]));
  await queue.seed({
    wait: ['2', '1'],
    paused: ['4', '3'],
    prioritized: { 5: 2 ** 32, 6: 2 ** 33 },
    delayed: { 7: 1, 8: 2 },
    active: ['10', '9'],
    'waiting-children': { 11: 1, 12: 2 },
    completed: { 13: 1, 14: 2 },
    failed: { 15: 1, 16: 2 },
    jobs,
  });
  return queue;
}

/** How often the data of a job were asked for. */
async function calls(): Promise<number> {
  const stats = await used.redis.client.info('commandstats');
  return Number(/cmdstat_hstrlen:calls=(\d+)/.exec(stats)?.[1] ?? 0);
}

describe('ListJobs', () => {
  it('lists all states one after the other, finished jobs newest first', async () => {
    const queue = await seeded();
    const before = await queue.read();
    const { jobs, nextPageToken } = await list({ queue: queue.name });
    expect(nextPageToken).toBe('');
    const byState = new Map<JobState, string[]>();
    for (const { state, jobId } of jobs) {
      byState.set(state, [...(byState.get(state) ?? []), jobId]);
    }
    expect(Object.fromEntries(byState)).toEqual({
      // What a peer has parked runs first.
      [JobState.WAITING]: ['3', '4', '1', '2'],
      [JobState.ACTIVE]: ['9', '10'],
      [JobState.DELAYED]: ['7', '8'],
      [JobState.PRIORITIZED]: ['5', '6'],
      [JobState.WAITING_CHILDREN]: ['11', '12'],
      [JobState.COMPLETED]: ['14', '13'],
      [JobState.FAILED]: ['16', '15'],
    });
    expect(jobs).toHaveLength(16);
    expect(await queue.read()).toEqual(before);
  });

  it('lists the states asked for, in their order, once, and in either direction', async () => {
    const queue = await seeded();
    const states = [JobState.FAILED, JobState.WAITING, JobState.FAILED];
    const ordered = async (order: SortOrder) =>
      ids((await list({ queue: queue.name, states, order })).jobs).join(' ');
    expect(await ordered(SortOrder.ASCENDING)).toBe('15 16 3 4 1 2');
    expect(await ordered(SortOrder.DESCENDING)).toBe('16 15 2 1 4 3');
    expect(await ordered(SortOrder.UNSPECIFIED)).toBe('16 15 3 4 1 2');
  });

  it.each([1, 3, 4, 16])('pages through everything, %i at a time', async (pageSize) => {
    const queue = await seeded();
    const all = ids((await list({ queue: queue.name })).jobs);
    const paged = await pages({ queue: queue.name, pageSize });
    expect(paged.flat()).toEqual(all);
    expect(paged.slice(0, -1).every((page) => page.length === pageSize)).toBe(true);
    expect(paged).toHaveLength(Math.ceil(16 / pageSize));
  });

  it('begins behind what it is told to skip, and reads none of it', async () => {
    const queue = await seeded();
    const waiting = { queue: queue.name, states: [JobState.WAITING] };
    expect((await pages({ ...waiting, skip: 1, pageSize: 2 })).flat()).toEqual(['4', '1', '2']);
    expect(await pages({ ...waiting, skip: 4 })).toEqual([[]]);
    const descending = { ...waiting, order: SortOrder.DESCENDING, skip: 2 };
    expect(ids((await list(descending)).jobs)).toEqual(['4', '3']);
    const before = await calls();
    expect(ids((await list({ ...waiting, skip: 3 })).jobs)).toEqual(['2']);
    expect((await calls()) - before).toBe(1);
  });

  it.each([{ states: [] }, { states: [JobState.WAITING, JobState.FAILED] }])(
    'skips in one state only: %j',
    async ({ states }) => {
      const error = await refused(list({ queue: used.queue().name, states, skip: 1 }));
      expect(error).toMatchObject({ reason: 'INVALID_FIELD', metadata: { field: 'skip' } });
    },
  );

  it('passes over ids without a job', async () => {
    const queue = used.queue();
    await queue.seed({ wait: ['5', '4', '3', '2', '1'], jobs: { 2: {}, 5: {} } });
    expect((await pages({ queue: queue.name, pageSize: 2 })).flat()).toEqual(['2', '5']);
  });

  it('finds jobs by name', async () => {
    const queue = used.queue();
    const jobs = { 1: { name: 'a' }, 2: { name: 'b' }, 3: { name: 'a' }, 4: { name: 'a' } };
    await queue.seed({ wait: ['4', '3', '2', '1'], jobs });
    const found = await pages({ queue: queue.name, nameFilter: 'a', pageSize: 2 });
    expect(found).toEqual([['1', '3'], ['4']]);
  });

  it('T090 listing loads payloads: leaves bodies out unless asked, and tells their size', async () => {
    const queue = used.queue();
    const data = `"${'x'.repeat(100_000)}"`;
    const jobs = Object.fromEntries(
      Array.from({ length: 50 }, (_, i) => [String(i + 1), { data }]),
    );
    await queue.seed({ wait: Object.keys(jobs), jobs });
    const basic = await list({ queue: queue.name, pageSize: 50 });
    expect(basic.jobs).toHaveLength(50);
    expect(basic.jobs[0]).toMatchObject({ dataOmitted: true, dataSize: 100_002 });
    expect(ListJobsResponse.encode(basic).finish().length).toBeLessThan(262_144);
  });

  it('bounds whole jobs by bytes, and still gives all of them', async () => {
    const queue = used.queue();
    const data = `"${'x'.repeat(3_000)}"`;
    const jobs = Object.fromEntries(Array.from({ length: 9 }, (_, i) => [String(i + 1), { data }]));
    await queue.seed({ wait: Object.keys(jobs).reverse(), jobs });
    const small = depsOf(used.client, { maxResponseBytes: 10_000 });
    const query = { queue: queue.name, view: JobView.FULL };
    const first = await list(query, small);
    expect(first.jobs[0]?.data.toString()).toBe(data);
    expect(ListJobsResponse.encode(first).finish().length).toBeLessThan(10_000);
    expect((await pages(query, small)).flat()).toEqual(Object.keys(jobs));
    const tiny = depsOf(used.client, { maxResponseBytes: 1_000 });
    const cut = await list({ ...query, pageSize: 1 }, tiny);
    expect(cut.jobs[0]).toMatchObject({ dataOmitted: true, dataSize: 3_002 });
  });

  it('is empty for an unknown queue, and writes nothing', async () => {
    const queue = used.queue();
    expect(await list({ queue: queue.name })).toEqual({ jobs: [], nextPageToken: '' });
    expect(await queue.read()).toEqual({});
  });

  it.each<[string, Part, string]>([
    ['a state without a location', { states: [JobState.WAITING, JobState.UNKNOWN] }, 'states[1]'],
    ['an unspecified state', { states: [JobState.UNSPECIFIED] }, 'states[0]'],
    ['a size of NaN', { pageSize: Number.NaN }, 'page_size'],
    ['a made-up token', { pageToken: 'abc' }, 'page_token'],
    ['a bad queue', { queue: '' }, 'queue'],
  ])('refuses %s', async (_, part, field) => {
    expect(await refused(list({ queue: 'q', ...part }))).toMatchObject({
      code: 'INVALID_ARGUMENT',
      reason: 'INVALID_FIELD',
      metadata: { field },
    });
  });

  it('refuses the token of another list', async () => {
    const queue = await seeded();
    const { nextPageToken: pageToken } = await list({ queue: queue.name, pageSize: 1 });
    const other = list({ queue: queue.name, states: [JobState.FAILED], pageToken });
    expect((await refused(other)).metadata.field).toBe('page_token');
  });
});
