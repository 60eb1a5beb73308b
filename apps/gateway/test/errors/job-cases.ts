import type { Case } from './case.js';
import type { Rpc } from './requests.js';
import type { Stand } from './stand.js';
import { base64 } from './wire.js';

const JOB = ['job_id', 'queue'];

/** What is about one job that must exist. */
const ABOUT_A_JOB: readonly Rpc[] = [
  ...(['GetJob', 'GetJobLogs', 'GetJobState', 'GetFlow', 'PromoteJob', 'RetryJob'] as const),
  ...(['RemoveJob', 'CancelJob', 'UpdateJobPriority', 'UpdateJobDelay'] as const),
  ...(['UpdateJobOptions', 'WaitJob', 'SetJobData', 'SetJobProgress', 'AddJobLogs'] as const),
  ...(['ClearJobLogs', 'ListChildren', 'RemoveChildDependency'] as const),
  'RemoveUnprocessedChildren',
];

const missing = ABOUT_A_JOB.map((rpc): Case => {
  const provoke = (stand: Stand) =>
    stand.fails(rpc, stand.request(rpc, { queue: stand.queue().name }));
  return { rpc, reason: 'JOB_NOT_FOUND', facts: JOB, provoke };
});

/** A job that has completed. */
async function completed(stand: Stand) {
  const lease = await stand.held(stand.queue().name);
  await stand.wire.answer(
    'FinishJob',
    stand.request('FinishJob', { ...lease, token: lease.leaseToken }),
  );
  return { queue: lease.queue, jobId: lease.jobId };
}

const OF_ANOTHER_STATE: readonly Rpc[] = [
  ...(['PromoteJob', 'RetryJob', 'CancelJob', 'UpdateJobPriority', 'UpdateJobDelay'] as const),
  'UpdateJobOptions',
];

const elsewhere = OF_ANOTHER_STATE.map((rpc): Case => {
  const provoke = async (stand: Stand) =>
    await stand.fails(rpc, stand.request(rpc, await completed(stand)));
  return { rpc, reason: 'JOB_NOT_IN_STATE', facts: [...JOB, 'expected', 'actual'], provoke };
});

const WITHOUT_A_QUEUE: readonly Rpc[] = [
  ...(['GetQueue', 'RetryJobs', 'PromoteJobs', 'DrainQueue', 'CleanQueue'] as const),
  ...(['ObliterateQueue', 'RemoveDeduplicationKey', 'TrimEvents'] as const),
  ...(['InspectQueue', 'RepairQueue'] as const),
];

const noQueue = WITHOUT_A_QUEUE.map((rpc): Case => {
  const provoke = (stand: Stand) =>
    stand.fails(rpc, stand.request(rpc, { queue: stand.queue().name }));
  return { rpc, reason: 'QUEUE_NOT_FOUND', facts: ['queue'], provoke };
});

const others: readonly Case[] = [
  {
    ...{ rpc: 'RemoveJob', reason: 'JOB_LOCKED', facts: JOB },
    provoke: async (stand) =>
      await stand.fails(
        'RemoveJob',
        stand.request('RemoveJob', await stand.held(stand.queue().name)),
      ),
  },
  {
    ...{ rpc: 'RemoveJob', reason: 'JOB_BELONGS_TO_SCHEDULER', facts: JOB },
    provoke: async (stand) => {
      const queue = stand.queue().name;
      const request = stand.request('UpsertScheduler', { queue });
      const { nextJobId: jobId } = await stand.wire.answer('UpsertScheduler', request);
      return await stand.fails('RemoveJob', { queue, jobId });
    },
  },
  {
    ...{ rpc: 'ObliterateQueue', reason: 'QUEUE_NOT_PAUSED', facts: ['queue'] },
    provoke: async (stand) => {
      const queue = stand.queue().name;
      await stand.add(queue);
      return await stand.fails('ObliterateQueue', stand.request('ObliterateQueue', { queue }));
    },
  },
  {
    ...{ rpc: 'ObliterateQueue', reason: 'QUEUE_HAS_ACTIVE_JOBS', facts: ['queue'] },
    provoke: async (stand) => {
      const { queue } = await stand.held(stand.queue().name);
      await stand.wire.answer('PauseQueue', { queue });
      return await stand.fails('ObliterateQueue', stand.request('ObliterateQueue', { queue }));
    },
  },
  {
    ...{ rpc: 'GetScheduler', reason: 'SCHEDULER_NOT_FOUND', facts: ['queue'] },
    provoke: (stand) =>
      stand.fails('GetScheduler', stand.request('GetScheduler', { queue: stand.queue().name })),
  },
  {
    ...{ rpc: 'RemoveScheduler', reason: 'SCHEDULER_NOT_FOUND', facts: ['queue'] },
    provoke: async (stand) => {
      const queue = stand.queue().name;
      await stand.add(queue);
      return await stand.fails('RemoveScheduler', stand.request('RemoveScheduler', { queue }));
    },
  },
  {
    ...{ rpc: 'UpsertScheduler', reason: 'SCHEDULER_JOB_ID_COLLISION', facts: ['queue'] },
    provoke: async (stand) => {
      const queue = stand.queue();
      const request = {
        ...stand.request('UpsertScheduler', { queue: queue.name }),
        schedule: { cron: { expression: '0 0 1 1 *', timeZone: 'UTC' } },
      };
      const { nextJobId } = await stand.wire.answer('UpsertScheduler', request);
      await stand.wire.answer('RemoveScheduler', { queue: queue.name, schedulerId: 's' });
      await queue.seed({ jobs: { [nextJobId]: {} }, completed: { [nextJobId]: 1 } });
      return await stand.fails('UpsertScheduler', request);
    },
  },
  {
    ...{ rpc: 'UpsertScheduler', reason: 'SCHEDULER_JOB_SLOTS_BUSY', facts: ['queue'] },
    provoke: async (stand) => {
      const queue = stand.queue();
      const startAt = new Date(Date.now() + 86_400_000).toISOString();
      const request = {
        ...stand.request('UpsertScheduler', { queue: queue.name }),
        schedule: { every: '3600s', startAt },
      };
      const { nextRun } = await stand.wire.answer('UpsertScheduler', request);
      await stand.wire.answer('RemoveScheduler', { queue: queue.name, schedulerId: 's' });
      // As many as it tries, and a few more.
      const slots = Array.from({ length: 40 }, (_, n) => Date.parse(nextRun) + n * 3_600_000).map(
        (at) => `repeat:s:${at}`,
      );
      await queue.seed({
        jobs: Object.fromEntries(slots.map((id) => [id, {}])),
        completed: Object.fromEntries(slots.map((id) => [id, 1])),
      });
      return await stand.fails('UpsertScheduler', request);
    },
  },
  ...(['UpsertScheduler', 'PreviewSchedule'] as const).map(
    (rpc): Case => ({
      ...{ rpc, reason: 'CRON_INVALID', facts: ['field'] },
      provoke: (stand) =>
        stand.fails(rpc, {
          ...stand.request(rpc, { queue: stand.queue().name }),
          schedule: { cron: { expression: '61 * * * *' } },
        }),
    }),
  ),
  ...[
    ['PAYLOAD_NOT_JSON', '{no json'],
    ['PAYLOAD_TOO_LARGE', `"${'x'.repeat(1_048_576)}"`],
  ].map(
    ([reason = '', data = '']): Case => ({
      ...{ rpc: 'UpsertScheduler', reason, facts: ['field'] },
      provoke: (stand) =>
        stand.fails('UpsertScheduler', {
          ...stand.request('UpsertScheduler', { queue: stand.queue().name }),
          template: { name: 'n', data: base64(data) },
        }),
    }),
  ),
];

const NO_JSON = base64('{no json');
const LARGE = base64(`"${'x'.repeat(1_048_576)}"`);

const writes: readonly Case[] = [
  ...(
    [
      ['SetJobData', 'data'],
      ['SetJobProgress', 'progress'],
    ] as const
  ).flatMap(([rpc, field]) =>
    [
      { reason: 'PAYLOAD_NOT_JSON', payload: NO_JSON },
      { reason: 'PAYLOAD_TOO_LARGE', payload: LARGE },
    ].map(
      ({ reason, payload }): Case => ({
        ...{ rpc, reason, facts: ['field'] },
        provoke: async (stand) => {
          const queue = stand.queue().name;
          return await stand.fails(rpc, { queue, jobId: await stand.add(queue), [field]: payload });
        },
      }),
    ),
  ),
  {
    ...{ rpc: 'AddJobLogs', reason: 'PAYLOAD_TOO_LARGE', facts: ['field'] },
    provoke: async (stand) => {
      const queue = stand.queue().name;
      const jobId = await stand.add(queue);
      return await stand.fails('AddJobLogs', { queue, jobId, lines: ['x'.repeat(65_537)] });
    },
  },
  {
    ...{ rpc: 'AddJobLogs', reason: 'REQUEST_ID_REUSED', facts: [] },
    provoke: async (stand) => {
      const queue = stand.queue().name;
      const request = { queue, jobId: await stand.add(queue), requestId: 'r' };
      await stand.wire.answer('AddJobLogs', { ...request, lines: ['a'] });
      return await stand.fails('AddJobLogs', { ...request, lines: ['b'] });
    },
  },
  {
    ...{ rpc: 'RemoveChildDependency', reason: 'PARENT_JOB_NOT_FOUND', facts: ['queue'] },
    provoke: async (stand) => {
      const [above, queue] = [stand.queue(), stand.queue().name];
      const parent = { queue: above.name, jobId: await stand.add(above.name) };
      const jobId = await stand.add(queue, { parent });
      await stand.redis.client.del(above.key(parent.jobId));
      return await stand.fails('RemoveChildDependency', { queue, jobId });
    },
  },
];

/** What is refused to those who look after jobs, queues and schedulers. */
export const JOB_CASES: readonly Case[] = [
  ...missing,
  ...elsewhere,
  ...noQueue,
  ...others,
  ...writes,
];
