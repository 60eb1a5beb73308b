import type { Case } from './case.js';
import type { Failure } from './failure.js';
import type { Rpc } from './requests.js';
import type { Held, Stand } from './stand.js';
import { base64 } from './wire.js';

/** What takes a lease, and how a request of it with this one looks. */
const FENCED: readonly Rpc[] = [
  'FinishJob',
  'UpdateProgress',
  'AppendLogs',
  'UpdateJobData',
  'GetChildrenValues',
  'GetJobData',
];

function withLease(stand: Stand, rpc: Rpc, lease: Held): Promise<Failure> {
  const request = rpc === 'GetJobData' ? { lease } : { ...stand.request(rpc, lease), lease };
  return stand.fails(rpc, request);
}

const fenced = FENCED.flatMap((rpc): Case[] => [
  {
    ...{ rpc, reason: 'JOB_NOT_FOUND', facts: ['job_id', 'queue'] },
    provoke: async (stand) => {
      const lease = await stand.held(stand.queue().name);
      await stand.wire.answer('RemoveJob', { ...jobOf(lease), force: true });
      return await withLease(stand, rpc, lease);
    },
  },
  {
    ...{ rpc, reason: 'LOCK_LOST', facts: ['job_id', 'queue'] },
    provoke: async (stand) => {
      const queue = stand.queue();
      const lease = await stand.held(queue.name);
      await stand.redis.client.del(queue.key(`${lease.jobId}:lock`));
      return await withLease(stand, rpc, lease);
    },
  },
  {
    ...{ rpc, reason: 'LOCK_NOT_OWNED', facts: ['job_id', 'queue'] },
    provoke: async (stand) => {
      const lease = await stand.held(stand.queue().name);
      return await withLease(stand, rpc, { ...lease, leaseToken: 'somebody-else' });
    },
  },
]);

const payloads = (['FinishJob', 'UpdateProgress', 'UpdateJobData'] as const).flatMap(
  (rpc): Case[] => {
    const withPayload = async (stand: Stand, payload: string) => {
      const lease = await stand.held(stand.queue().name);
      const bytes = base64(payload);
      const payloads = {
        FinishJob: { lease, outcome: { complete: { returnValue: bytes } } },
        UpdateProgress: { lease, progress: bytes },
        UpdateJobData: { lease, data: bytes },
      };
      return await stand.fails(rpc, payloads[rpc]);
    };
    return [
      {
        ...{ rpc, reason: 'PAYLOAD_NOT_JSON', facts: ['field'] },
        provoke: (stand) => withPayload(stand, '{no json'),
      },
      {
        ...{ rpc, reason: 'PAYLOAD_TOO_LARGE', facts: ['actualBytes', 'field', 'limitBytes'] },
        provoke: (stand) => withPayload(stand, `"${'x'.repeat(1_048_576)}"`),
      },
    ];
  },
);

/** A job in a worker's hands that has a child which has not ended. */
async function heldParent(stand: Stand): Promise<Held> {
  const queue = stand.queue().name;
  const lease = await stand.held(queue);
  await stand.add(stand.queue().name, { parent: { queue, jobId: lease.jobId } });
  return lease;
}

const finishes: readonly Case[] = [
  {
    ...{ rpc: 'FinishJob', reason: 'JOB_NOT_IN_STATE', facts: ['job_id', 'queue'] },
    provoke: async (stand) => {
      const queue = stand.queue();
      const lease = await stand.held(queue.name);
      await stand.redis.client.lrem(queue.key('active'), 0, lease.jobId);
      return await withLease(stand, 'FinishJob', lease);
    },
  },
  {
    ...{ rpc: 'FinishJob', reason: 'JOB_HAS_PENDING_CHILDREN', facts: ['job_id', 'queue'] },
    provoke: async (stand) => await withLease(stand, 'FinishJob', await heldParent(stand)),
  },
  {
    ...{ rpc: 'FinishJob', reason: 'JOB_HAS_FAILED_CHILDREN', facts: ['job_id', 'queue'] },
    provoke: async (stand) => {
      const queue = stand.queue();
      const lease = await stand.held(queue.name);
      await stand.redis.client.zadd(queue.key(`${lease.jobId}:unsuccessful`), 1, 'a:b:c');
      return await withLease(stand, 'FinishJob', lease);
    },
  },
  {
    ...{
      rpc: 'AppendLogs',
      reason: 'PAYLOAD_TOO_LARGE',
      facts: ['actualBytes', 'field', 'limitBytes'],
    },
    provoke: async (stand) => {
      const lease = await stand.held(stand.queue().name);
      return await stand.fails('AppendLogs', { lease, lines: ['x'.repeat(65_537)] });
    },
  },
];

const reused: readonly Case[] = [
  {
    ...{ rpc: 'FetchJobs', reason: 'REQUEST_ID_REUSED', facts: [] },
    provoke: async (stand) => {
      const queue = stand.queue().name;
      await stand.add(queue);
      const request = { ...stand.request('FetchJobs', { queue }), requestId: 'r' };
      await stand.wire.answer('FetchJobs', request);
      return await stand.fails('FetchJobs', { ...request, maxJobs: 2 });
    },
  },
  {
    ...{ rpc: 'FinishJob', reason: 'REQUEST_ID_REUSED', facts: [] },
    provoke: async (stand) => {
      const lease = await stand.held(stand.queue().name);
      const finish = (text: string) => ({
        ...{ lease, requestId: 'r' },
        outcome: { complete: { returnValue: base64(text) } },
      });
      await stand.wire.answer('FinishJob', finish('1'));
      return await stand.fails('FinishJob', finish('2'));
    },
  },
  {
    ...{ rpc: 'FinishJobs', reason: 'REQUEST_ID_REUSED', facts: [] },
    provoke: async (stand) => {
      const lease = await stand.held(stand.queue().name);
      const finish = (text: string) => ({
        items: [{ lease, outcome: { complete: { returnValue: base64(text) } } }],
        requestId: 'r',
      });
      await stand.wire.answer('FinishJobs', finish('1'));
      return await stand.fails('FinishJobs', finish('2'));
    },
  },
  {
    ...{ rpc: 'AppendLogs', reason: 'REQUEST_ID_REUSED', facts: [] },
    provoke: async (stand) => {
      const lease = await stand.held(stand.queue().name);
      await stand.wire.answer('AppendLogs', { lease, lines: ['a'], requestId: 'r' });
      return await stand.fails('AppendLogs', { lease, lines: ['b'], requestId: 'r' });
    },
  },
];

const jobOf = ({ queue, jobId }: Held) => ({ queue, jobId });

/** What is refused to whoever holds a job, or holds it no longer. */
export const LEASE_CASES: readonly Case[] = [...fenced, ...payloads, ...finishes, ...reused];
