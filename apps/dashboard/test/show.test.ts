import { EchoMQError } from '@echomq/core';
import {
  GetFlowResponse,
  GetJobResponse,
  GetMetricsResponse,
  type Job,
  JobState,
  type ListJobsRequest,
  ListJobsResponse,
  ListWorkersResponse,
  MetricsKind,
} from '@echomq/proto/messages';
import { expect, it, vi } from 'vitest';
import { serving } from './serving.js';

const counted = async () => ({ counts: [{ state: JobState.WAITING_CHILDREN, count: 4 }] });

it('reads what a screen shows in one request; a view that is refused hides no other', async () => {
  const getJobCounts = vi.fn(counted);
  const listQueues = async () => ({
    queues: [
      { queue: 'mails', paused: true, problem: '' },
      { queue: 'odd:name', paused: false, problem: 'its name has a colon' },
    ],
    nextPageToken: 'more',
  });
  const listWorkers = async () => {
    throw new EchoMQError('not yours', {
      code: 'PERMISSION_DENIED',
      reason: 'QUEUE_ACCESS_DENIED',
    });
  };
  const at = await serving({ queue: { listQueues, getJobCounts, listWorkers } });
  const { status, answer } = await at.ask('show', { queues: {}, workers: { queue: 'others' } });
  expect(status).toBe(200);
  expect(answer).toEqual({
    queues: {
      value: {
        queues: [
          { queue: 'mails', paused: true, problem: '', counts: { 'waiting-children': 4 } },
          { queue: 'odd:name', paused: false, problem: 'its name has a colon' },
        ],
        nextPageToken: 'more',
      },
    },
    workers: {
      error: { code: 'PERMISSION_DENIED', reason: 'QUEUE_ACCESS_DENIED', message: 'not yours' },
    },
  });
  expect(getJobCounts).toHaveBeenCalledTimes(1);
});

it('shows the other queues where one cannot be read', async () => {
  const at = await serving({
    queue: {
      listQueues: async () => ({
        queues: ['broken', 'mails'].map((queue) => ({ queue, paused: false, problem: '' })),
        nextPageToken: '',
      }),
      getJobCounts: async ({ queue }) => {
        if (queue !== 'broken') return counted();
        throw new EchoMQError('WRONGTYPE', { code: 'INTERNAL', reason: 'SCRIPT_ERROR' });
      },
    },
  });
  const { answer } = await at.ask('show', { queues: {} });
  expect((answer.queues as { value: { queues: unknown } }).value.queues).toEqual([
    { queue: 'broken', paused: false, problem: 'cannot be read: `echomq doctor` says why' },
    { queue: 'mails', paused: false, problem: '', counts: { 'waiting-children': 4 } },
  ]);
});

it('puts what completed and what failed on the same minutes', async () => {
  const newest = Date.UTC(2026, 10, 29, 12, 30);
  const at = await serving({
    queue: {
      getQueue: async () => ({ queue: undefined }),
      getJobCounts: counted,
      getMetrics: async ({ kind }) =>
        GetMetricsResponse.fromPartial(
          kind === MetricsKind.FAILED
            ? { points: [5], total: 9, kept: 1, open: 4, openAt: new Date(newest - 60_000) }
            : { points: [3, 2, 1], total: 13, kept: 3, open: 7, openAt: new Date(newest) },
        ),
    },
  });
  const { answer } = await at.ask('show', { queue: { queue: 'others' } });
  const { throughput, mayChange } = (answer.queue as unknown as { value: unknown }).value as {
    throughput: { newestAt: number; completed: number[]; failed: number[] };
    mayChange: boolean;
  };
  expect(mayChange).toBe(false);
  expect(throughput.newestAt).toBe(newest);
  expect(throughput.completed.slice(-5)).toEqual([0, 1, 2, 3, 7]);
  expect(throughput.failed.slice(-5)).toEqual([0, 0, 5, 4, 0]);
});

/** A list of jobs that finished a second after each other, newest first, in pages. */
function finishedJobs(count: number, newest: number) {
  const asked: ListJobsRequest[] = [];
  const listJobs = async (request: ListJobsRequest) => {
    asked.push(request);
    const start = Number(request.pageToken || 0);
    const end = Math.min(count, start + request.pageSize);
    const jobs: Partial<Job>[] = [];
    for (let index = start; index < end; index++) {
      jobs.push({ jobId: String(index), finishedAt: new Date(newest - index * 1_000) });
    }
    return ListJobsResponse.fromPartial({ jobs, nextPageToken: end < count ? String(end) : '' });
  };
  return { asked, listJobs };
}

interface JobsAnswer {
  readonly jobs: readonly { readonly id: string }[];
  readonly nextPageToken: string;
  readonly lookedAt: number;
}

async function jobsOf(at: Awaited<ReturnType<typeof serving>>, fields: object) {
  const { answer } = await at.ask('show', { jobs: { queue: 'q', state: 'completed', ...fields } });
  return (answer.jobs as unknown as { value: JobsAnswer }).value;
}

it('pages by cursor, the first page small', async () => {
  const { asked, listJobs } = finishedJobs(5_000, 0);
  const at = await serving({ queue: { listJobs } });
  const first = await jobsOf(at, { name: 'welcome' });
  expect([first.jobs.length, first.nextPageToken]).toEqual([100, '100']);
  const second = await jobsOf(at, { pageToken: first.nextPageToken });
  expect([second.jobs.length, second.nextPageToken]).toEqual([1_000, '1100']);
  expect(asked[0]).toMatchObject({ nameFilter: 'welcome', states: [JobState.COMPLETED] });
});

it('finds a span of time among finished jobs without reading behind it', async () => {
  const newest = Date.UTC(2026, 0, 1);
  const { asked, listJobs } = finishedJobs(100_000, newest);
  const at = await serving({ queue: { listJobs } });
  const found = await jobsOf(at, { from: newest - 12_000, to: newest - 10_000 });
  expect(found.jobs.map(({ id }) => id)).toEqual(['10', '11', '12']);
  expect(found.nextPageToken).toBe('');
  expect(asked).toHaveLength(1);
});

it('looks at 2,000 jobs per request and no more', async () => {
  const newest = Date.UTC(2026, 0, 1);
  const { asked, listJobs } = finishedJobs(100_000, newest);
  const at = await serving({ queue: { listJobs } });
  const found = await jobsOf(at, { to: newest - 90_000_000 });
  expect(found).toEqual({ jobs: [], nextPageToken: '2000', lookedAt: 2_000 });
  expect(asked).toHaveLength(4);
});

it('shows a job whole, with its payloads as text and the flow from its top', async () => {
  const parent = { queue: 'other', jobId: 'top' };
  const options = { attempts: 3, extraOptsJson: Buffer.from('{"repeat":{"every":5}}') };
  const data = Buffer.from('{"a":"\xff');
  const job = { queue: 'q', jobId: '1', data, parent, attemptsMade: 2, options };
  const getFlow = vi.fn(async () => ({
    root: { job: undefined, children: [], dependencies: undefined },
  }));
  const at = await serving({
    queue: {
      getJob: async ({ jobId }) =>
        GetJobResponse.fromPartial({ job: jobId === '1' ? job : { jobId: 'top', queue: 'other' } }),
      getJobLogs: async () => ({ lines: ['one'], total: 1, nextPageToken: '' }),
      getFlow,
    },
  });
  const { answer } = await at.ask('show', { job: { queue: 'q', id: '1' } });
  expect((answer.job as unknown as { value: unknown }).value).toMatchObject({
    id: '1',
    attemptsMade: 2,
    data: { text: '{"a":"ÿ', cut: false },
    logs: { lines: ['one'], total: 1 },
    options: '{"repeat":{"every":5},"attempts":3}',
    mayChange: true,
  });
  expect(getFlow).toHaveBeenCalledWith(expect.objectContaining({ job: parent }), expect.anything());
});

it('shows a job in its flow, also where it is deep below or one of very many', async () => {
  // A line of 8, of which each has 30 more children.
  const ref = (level: number) => ({ queue: 'q', jobId: `${level}` });
  const job = (level: number) => ({
    ...ref(level),
    ...(level > 0 ? { parent: ref(level - 1) } : {}),
  });
  const others = (level: number, asked: number) =>
    Array.from({ length: asked }, (_, n) => ({ job: { queue: 'q', jobId: `${level}-${n}` } }));
  const at = await serving({
    queue: {
      getJob: async ({ jobId }) => GetJobResponse.fromPartial({ job: job(Number(jobId)) }),
      getJobLogs: async () => ({ lines: [], total: 0, nextPageToken: '' }),
      getFlow: async ({ job: top, maxChildren }) =>
        GetFlowResponse.fromPartial({
          root: {
            job: { queue: 'q', jobId: top?.jobId ?? '' },
            children: others(Number(top?.jobId) + 1, maxChildren),
            dependencies: { pending: 31 },
          },
        }),
    },
  });
  const { answer } = await at.ask('show', { job: { queue: 'q', id: '7' } });
  interface Node {
    readonly id: string;
    readonly more: number;
    readonly children: readonly Node[];
  }
  const { flow } = (answer.job as { value: { flow: Node } }).value;
  const line: [string, number, number][] = [];
  for (let node: Node | undefined = flow; node?.children[0]; node = node.children[0]) {
    line.push([node.id, node.children.length, node.more]);
  }
  expect(line).toEqual([...['3', '4', '5', '6'].map((id) => [id, 21, 10]), ['7', 20, 11]]);
});

it('shows workers and what they hold', async () => {
  const worker = { sessionId: 's', workerId: 'w', sdk: { language: 'go', version: '1' } };
  const held = [{ queue: 'q', jobId: '7' }];
  const at = await serving({
    queue: {
      listWorkers: async () =>
        ListWorkersResponse.fromPartial({ sessions: [{ worker, queues: ['q'], held }] }),
    },
  });
  const { answer } = await at.ask('show', { workers: {} });
  expect((answer.workers as unknown as { value: unknown }).value).toMatchObject({
    workers: [{ name: 'w', sdk: 'go 1', queues: ['q'], held: [{ queue: 'q', id: '7' }] }],
  });
});

it('says which field is wrong', async () => {
  const at = await serving();
  const { answer } = await at.ask('show', { jobs: { queue: 'q', state: 'toString' } });
  expect(answer.jobs).toMatchObject({ error: { message: expect.stringContaining('state: ') } });
  const other = await at.ask('show', { jobs: { queue: 7, state: 'failed' } });
  expect(other.answer.jobs).toMatchObject({ error: { message: 'queue: must be a text' } });
});
