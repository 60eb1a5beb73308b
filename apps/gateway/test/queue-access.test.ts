import { fromJson, type JsonObject, toBinary } from '@bufbuild/protobuf';
import { GetFlowRequest, type ListQueuesResponse } from '@echomq/proto/messages';
import { QueueServiceClient } from '@echomq/proto/services';
import { Client, type Metadata, type ServiceError } from '@grpc/grpc-js';
import { describe, expect, it } from 'vitest';
import { ACCESS_RULES, type AccessRule } from '../src/access/queue-access.js';
import { VERBS, type Verb } from '../src/access/rights.js';
import type { Method } from '../src/binding/codec.js';
import { DEFINITIONS } from '../src/binding/services.js';
import { accessFile, bearer, entry } from './access-files.js';
import { takenApart, unary } from './call.js';
import { FakeEngine } from './fake-engine.js';
import { inputOf, messageWith, queuePaths } from './named-queues.js';
import { serving } from './serving.js';

/** Every rpc of the contract. */
const RPCS = Object.entries(DEFINITIONS).flatMap(([service, definition]) =>
  Object.entries(definition as unknown as Record<string, Method>).map(([name, method]) => ({
    id: `${service}.${name}`,
    method,
    rule: (ACCESS_RULES[service as keyof typeof ACCESS_RULES] as Record<string, unknown>)[
      name
    ] as AccessRule<never>,
  })),
);

/** Who may call what, written down a second time: a change of one rule must be meant. */
const EXPECTED: Readonly<Record<string, readonly string[]>> = {
  '': [...['queue.listQueues', 'scheduler.previewSchedule', 'gateway.getServerInfo']],
  produce: ['producer.addJob', 'producer.addJobs', 'producer.addFlow'],
  'produce or read': ['producer.waitJob'],
  'produce or admin': ['scheduler.upsertScheduler', 'scheduler.removeScheduler'],
  work: [
    ...['worker.fetchJobs', 'worker.finishJob', 'worker.finishJobs', 'worker.extendLocks'],
    ...['worker.updateProgress', 'worker.appendLogs', 'worker.updateJobData', 'worker.work'],
    'worker.getChildrenValues',
  ],
  'work or read': ['worker.getJobData'],
  read: [
    ...['queue.getQueue', 'queue.getJobCounts', 'queue.getCountsPerPriority', 'queue.listJobs'],
    ...['queue.getJob', 'queue.getJobLogs', 'queue.getJobState', 'queue.getFlow'],
    ...['queue.getRateLimit', 'queue.getMetrics', 'queue.listWorkers', 'queue.listChildren'],
    ...['queue.getDeduplicationJob', 'queue.inspectQueue'],
    ...['scheduler.getScheduler', 'scheduler.listSchedulers'],
    ...['event.subscribe', 'event.pollEvents'],
  ],
  admin: [
    ...['queue.promoteJob', 'queue.retryJob', 'queue.retryJobs', 'queue.promoteJobs'],
    ...['queue.removeJob', 'queue.cancelJob', 'queue.updateJobPriority', 'queue.updateJobDelay'],
    ...['queue.updateJobOptions', 'queue.pauseQueue', 'queue.resumeQueue', 'queue.drainQueue'],
    ...['queue.cleanQueue', 'queue.obliterateQueue', 'queue.setRateLimit', 'queue.clearRateLimit'],
    ...['queue.setConcurrency', 'queue.setQueueLimits', 'queue.removeDeduplicationKey'],
    ...['queue.setJobData', 'queue.setJobProgress', 'queue.addJobLogs', 'queue.clearJobLogs'],
    ...['queue.removeChildDependency', 'queue.removeUnprocessedChildren', 'queue.holdQueue'],
    ...['queue.trimEvents', 'queue.repairQueue'],
  ],
};

describe('the table of rights', () => {
  it('has a line for each rpc of the contract, and each line is as agreed', () => {
    const found: Record<string, string[]> = {};
    for (const { id, rule } of RPCS) {
      const verbs = rule.verbs.join(' or ');
      found[verbs] = [...(found[verbs] ?? []), id];
    }
    const sorted = (table: Readonly<Record<string, readonly string[]>>) =>
      Object.fromEntries(Object.entries(table).map(([verbs, ids]) => [verbs, [...ids].sort()]));
    expect(sorted(found)).toEqual(sorted(EXPECTED));
  });

  it('sees every field of every request that names a queue', () => {
    const unseen = RPCS.flatMap(({ id, method, rule }) =>
      queuePaths(inputOf(method.path)).flatMap((path) => {
        const bytes = messageWith(inputOf(method.path), [path, 'special']);
        const seen: string[] = [];
        rule.queues(method.requestDeserialize(Buffer.from(bytes)) as never, (queue) =>
          seen.push(queue),
        );
        return seen.includes('special') || rule.verbs.length === 0
          ? []
          : [`${id} ${path.join('.')}`];
      }),
    );
    expect(unseen).toEqual([]);
    const children = queuePaths(inputOf('/echomq.v1.ProducerService/AddFlow'));
    expect(children).toContainEqual(['root', 'children', 'queue']);
  });
});

/** A principal for each verb, with that verb alone, on `orders` alone. */
const entries = VERBS.map((verb) =>
  entry(verb, `token-${verb}`, { acl: [{ queues: ['orders'], verbs: [verb] }] }),
);

interface Ended {
  readonly status: string;
  readonly reason: string | undefined;
  readonly metadata: Readonly<Record<string, string>> | undefined;
}

/** How a call of any rpc ends, whose first and only message are these bytes. */
function end(client: Client, method: Method, bytes: Uint8Array, metadata: Metadata) {
  return new Promise<Ended>((resolve) => {
    const raw = (value: Buffer) => value;
    const call = client.makeBidiStreamRequest(method.path, raw, raw, metadata, {});
    call.on('error', () => undefined);
    call.on('status', (status: ServiceError) => {
      if (status.code === 0)
        return resolve({ status: 'OK', reason: undefined, metadata: undefined });
      const { status: name, info } = takenApart(status);
      resolve({ status: name ?? '', reason: info?.reason, metadata: info?.metadata });
    });
    call.resume();
    call.end(Buffer.from(bytes));
  });
}

/** An engine whose streams read one message and end well. */
const streaming = () =>
  new FakeEngine({
    worker: {
      work: async (link) => {
        for await (const _ of link.requests) break;
      },
      async *getJobData() {},
    },
    event: { async *subscribe() {} },
  });

async function served() {
  const engine = streaming();
  const file = accessFile(entries);
  const gateway = await serving(engine, { ECHOMQ_ACCESS_FILE: file.path });
  return { engine, ...gateway, any: gateway.client(Client as never) as Client };
}

describe('a call', () => {
  it('of every rpc passes with a verb of its line on its queue, and with no other verb or queue', async () => {
    const { any, engine } = await served();
    for (const { id, method, rule } of RPCS) {
      const input = inputOf(method.path);
      const [path] = queuePaths(input);
      for (const verb of VERBS) {
        for (const queue of ['orders', 'invoices']) {
          const bytes = path ? messageWith(input, [path, queue]) : new Uint8Array();
          engine.reached.length = 0;
          const ended = await end(any, method, bytes, bearer(`token-${verb}`));
          const verbs = id === 'worker.getJobData' ? ['work'] : rule.verbs;
          const free = rule.verbs.length === 0;
          if (free || (queue === 'orders' && verbs.includes(verb))) {
            expect([id, verb, queue, ended.reason ?? 'OK', engine.reached]).toEqual([
              ...[id, verb, queue, expect.stringMatching(/^(FEATURE_DISABLED|OK)$/)],
              [id.split('.')[1]],
            ]);
          } else {
            expect([id, verb, queue, ended]).toEqual([
              ...[id, verb, queue],
              {
                status: 'PERMISSION_DENIED',
                reason: 'QUEUE_ACCESS_DENIED',
                metadata: { verb: verbs[0], queue },
              },
            ]);
            // Of a stream the engine has seen its beginning, and none of its messages.
            expect([id, engine.reached]).toEqual([id, id === 'worker.work' ? ['work'] : []]);
          }
        }
      }
    }
  }, 60_000);

  it.each<[string, Verb, JsonObject]>([
    ['addJobs', 'produce', { queue: 'orders', items: [{ name: 'a' }, { queue: 'invoices' }] }],
    ['addJobs', 'produce', { queue: 'invoices', items: [{ queue: 'orders' }, { name: 'b' }] }],
    ['addJobs', 'produce', { queue: 'orders', items: [{ parent: { queue: 'invoices' } }] }],
    ['addJob', 'produce', { queue: 'orders', parent: { queue: 'invoices', jobId: '1' } }],
    [
      'addFlow',
      'produce',
      {
        root: {
          queue: 'orders',
          children: [{ queue: 'orders', children: [{ queue: 'invoices' }] }],
        },
      },
    ],
    ['addFlow', 'produce', { root: { queue: 'orders' }, parent: { queue: 'invoices' } }],
    ['fetchJobs', 'work', { queue: 'orders', held: [{ queue: 'invoices', jobId: '1' }] }],
    [
      'finishJobs',
      'work',
      { items: [{ lease: { queue: 'orders' } }, { lease: { queue: 'invoices' } }] },
    ],
    ['extendLocks', 'work', { leases: [{ queue: 'orders' }, { queue: 'invoices' }] }],
  ])(
    'of %s (%s) that names one queue of its own and another one is refused whole: %j',
    async (name, verb, request) => {
      const { any, engine } = await served();
      const rpc = RPCS.find(({ id }) => id.endsWith(`.${name}`));
      if (!rpc) throw new Error(`no ${name}`);
      const input = inputOf(rpc.method.path);
      const ended = await end(
        any,
        rpc.method,
        toBinary(input, fromJson(input, request)),
        bearer(`token-${verb}`),
      );
      expect([ended.reason, ended.metadata]).toEqual([
        'QUEUE_ACCESS_DENIED',
        { verb, queue: 'invoices' },
      ]);
      expect(engine.reached).toEqual([]);
    },
  );

  it('of GetJobData for a job without a lease needs the right to read', async () => {
    const { any } = await served();
    const rpc = RPCS.find(({ id }) => id === 'worker.getJobData');
    if (!rpc) throw new Error('no GetJobData');
    const bytes = messageWith(inputOf(rpc.method.path), [['job', 'queue'], 'orders']);
    const outcome = async (verb: Verb) =>
      (await end(any, rpc.method, bytes, bearer(`token-${verb}`))).status;
    expect(await outcome('read')).toBe('OK');
    expect(await outcome('work')).toBe('PERMISSION_DENIED');
  });

  it('without a queue where one belongs is one about the queue without a name', async () => {
    const { client } = await served();
    const queues = client(QueueServiceClient);
    const request = GetFlowRequest.fromPartial({});
    const failed = unary((done) => queues.getFlow(request, bearer('token-read'), done));
    await expect(failed).rejects.toMatchObject({
      details: 'may not read on queue ""',
    });
  });

  it('of ListQueues is told which queues its answer may name', async () => {
    const names = ['orders', 'invoices', 'orders-2'];
    const engine = new FakeEngine({
      queue: {
        listQueues: async (_, { mayRead }) => ({
          queues: names
            .filter((queue) => mayRead?.(queue))
            .map((queue) => ({ queue, paused: false, problem: '' })),
          nextPageToken: '',
        }),
      },
    });
    const acl = [{ queues: ['orders*'], verbs: ['read'] }];
    const file = accessFile([entry('reader', 'r', { acl }), entry('none', 'n', { acl: [] })]);
    const { client } = await serving(engine, { ECHOMQ_ACCESS_FILE: file.path });
    const queues = client(QueueServiceClient);
    const list = async (token: string) => {
      const request = { pageSize: 0, pageToken: '', prefixFilter: '' };
      const answer = await unary<ListQueuesResponse>((done) =>
        queues.listQueues(request, bearer(token), done),
      );
      return answer.queues.map(({ queue }) => queue);
    };
    expect(await list('r')).toEqual(['orders', 'orders-2']);
    expect(await list('n')).toEqual([]);
  });
});
