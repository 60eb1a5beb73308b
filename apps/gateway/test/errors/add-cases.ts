import type { JsonObject } from '@bufbuild/protobuf';
import type { Case } from './case.js';
import type { Failure } from './failure.js';
import type { Stand } from './stand.js';
import { base64 } from './wire.js';

const ADDS = ['AddJob', 'AddJobs', 'AddFlow'] as const;

interface Added {
  readonly queue: string;
  readonly data?: string;
  readonly options?: JsonObject;
  readonly parent?: JsonObject;
}

/** A request that adds one job, in the form of each rpc that adds. */
function addOf(rpc: (typeof ADDS)[number], { parent, ...job }: Added, requestId = ''): JsonObject {
  const named = { name: 'n', ...job };
  const above = parent ? { parent } : {};
  switch (rpc) {
    case 'AddJob':
      return { ...named, ...above, requestId };
    case 'AddJobs':
      return {
        queue: job.queue,
        items: [{ ...named, ...above }],
        mode: 'ADD_MODE_ATOMIC',
        requestId,
      };
    case 'AddFlow':
      return { root: named, ...above, requestId };
  }
}

/** Adds a job by the rpc in question, which must fail. */
type Add = (job: Omit<Added, 'queue'>) => Promise<Failure>;
type Provoke = (stand: Stand, add: Add, queue: string) => Promise<Failure>;

const PROVOKED: readonly { reason: string; facts: readonly string[]; provoke: Provoke }[] = [
  {
    ...{ reason: 'PAYLOAD_NOT_JSON', facts: ['field'] },
    provoke: (_, add) => add({ data: base64('{no json') }),
  },
  {
    ...{ reason: 'PAYLOAD_TOO_LARGE', facts: ['actualBytes', 'field', 'limitBytes'] },
    provoke: (_, add) => add({ data: base64(`"${'x'.repeat(1_048_576)}"`) }),
  },
  {
    ...{ reason: 'QUEUE_FULL', facts: ['depth', 'limit', 'queue'] },
    provoke: async (stand, add, queue) => {
      await stand.wire.answer('SetQueueLimits', { queue, limits: { maxJobs: 1 } });
      await stand.add(queue);
      return await add({});
    },
  },
  {
    ...{ reason: 'CUSTOM_JOB_ID_INVALID', facts: ['field'] },
    provoke: (_, add) => add({ options: { jobId: '7' } }),
  },
  {
    ...{ reason: 'PARENT_JOB_NOT_FOUND', facts: ['queue'] },
    provoke: (_, add, queue) => add({ parent: { queue, jobId: 'no-such' } }),
  },
  {
    ...{ reason: 'PARENT_JOB_CANNOT_BE_REPLACED', facts: ['queue'] },
    provoke: async (stand, add, queue) => {
      const parents = stand.queue().name;
      const [first, second] = [await stand.add(parents), await stand.add(parents)];
      const options = { jobId: 'child' };
      await stand.add(queue, { options, parent: { queue: parents, jobId: first } });
      return await add({ options, parent: { queue: parents, jobId: second } });
    },
  },
];

const adds = ADDS.flatMap((rpc) => [
  ...PROVOKED.map(
    ({ reason, facts, provoke }): Case => ({
      ...{ rpc, reason, facts },
      provoke: (stand) => {
        const queue = stand.queue().name;
        const add: Add = (job) => stand.fails(rpc, addOf(rpc, { queue, ...job }));
        return provoke(stand, add, queue);
      },
    }),
  ),
  {
    ...{ rpc, reason: 'REQUEST_ID_REUSED', facts: [] },
    provoke: async (stand: Stand) => {
      const queue = stand.queue().name;
      await stand.wire.answer(rpc, addOf(rpc, { queue, data: base64('1') }, 'r'));
      return await stand.fails(rpc, addOf(rpc, { queue, data: base64('2') }, 'r'));
    },
  },
]);

const belowOneThatHasEnded: Case = {
  ...{
    rpc: 'AddFlow',
    reason: 'JOB_NOT_IN_STATE',
    facts: ['actual', 'expected', 'job_id', 'queue'],
  },
  provoke: async (stand) => {
    const queue = stand.queue().name;
    const ended = await stand.held(queue, { options: { jobId: 'ended' } });
    const finish = stand.request('FinishJob', { ...ended, token: ended.leaseToken });
    await stand.wire.answer('FinishJob', finish);
    const root = {
      queue,
      name: 'n',
      options: { jobId: 'ended' },
      children: [{ queue, name: 'c' }],
    };
    return await stand.fails('AddFlow', { root });
  },
};

/** What is refused to those who add jobs. */
export const ADD_CASES: readonly Case[] = [...adds, belowOneThatHasEnded];

/** What is refused in a cluster, where a script reaches the keys of one slot. */
export const SLOT_CASES: readonly Case[] = [
  {
    ...{ rpc: 'AddJob', reason: 'CROSS_SLOT', facts: [] },
    provoke: async (stand) => {
      const jobId = await stand.add('above');
      return await stand.fails(
        'AddJob',
        addOf('AddJob', { queue: 'below', parent: { queue: 'above', jobId } }),
      );
    },
  },
  {
    ...{ rpc: 'AddJobs', reason: 'CROSS_SLOT', facts: [] },
    provoke: (stand) => {
      const items = ['one', 'two'].map((queue) => ({ queue, name: 'n' }));
      return stand.fails('AddJobs', { items, mode: 'ADD_MODE_ATOMIC' });
    },
  },
  {
    ...{ rpc: 'AddFlow', reason: 'CROSS_SLOT', facts: [] },
    provoke: (stand) => {
      const children = [{ queue: 'two', name: 'c' }];
      return stand.fails('AddFlow', { root: { queue: 'one', name: 'n', children } });
    },
  },
];
