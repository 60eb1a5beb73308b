import { fromIoredis } from '@echomq/core/ioredis';
import {
  AddJobRequest,
  AddJobsRequest,
  type Fault,
  GetFlowRequest,
  InspectQueueRequest,
  ListQueuesRequest,
  RemoveJobRequest,
} from '@echomq/proto/messages';
import { freshQueue, startCluster, useStarted } from '@echomq/testkit';
import { describe, expect, it } from 'vitest';
import { EventTail } from '../../src/events/event-tail.js';
import { QueueNames } from '../../src/queue-names.js';
import { eventService } from '../../src/services/event/event-service.js';
import { gatewayService } from '../../src/services/gateway/gateway-service.js';
import { producerService } from '../../src/services/producer/producer-service.js';
import { queueService } from '../../src/services/queue/queue-service.js';
import { schedulerService } from '../../src/services/scheduler/scheduler-service.js';
import { opening, subscribe } from '../events/subscriber.js';
import { flowOf, node } from '../flows/flow-requests.js';
import { every, upsertOf } from '../scheduling/schedule-requests.js';
import { depsOf, frozen, patient, refused } from '../use-services.js';

const used = useStarted(async () => {
  const cluster = await startCluster(3);
  const raw = cluster.connect();
  const client = fromIoredis(raw);
  await client.whenReady(AbortSignal.timeout(10_000));
  return {
    raw,
    client,
    deps: depsOf(client),
    async [Symbol.asyncDispose]() {
      await client.close();
      await cluster.stop();
    },
  };
});

const producer = () => producerService(used.value.deps);
const queues = () => queueService(used.value.deps);
const add = (part: Parameters<typeof AddJobRequest.fromPartial>[0]) =>
  producer().addJob(frozen(AddJobRequest.fromPartial({ name: 'send', ...part })), patient);

describe('in a cluster', () => {
  it('a queue stands in one slot under its name in braces, and answers to its name', async () => {
    expect((await add({ queue: 'plain' })).jobId).toBe('1');
    expect((await add({ queue: '{plain}' })).jobId).toBe('2');
    const stored = freshQueue(used.value.raw, { name: '{plain}' });
    expect((await stored.read()).wait).toEqual(['2', '1']);
    const { job } = await queues().getJob({ queue: 'plain', jobId: '2', view: 2 }, patient);
    expect(job?.queue).toBe('plain');
    const gone = queues().removeJob(
      RemoveJobRequest.fromPartial({ queue: 'plain', jobId: '9' }),
      patient,
    );
    expect((await refused(gone)).metadata).toEqual({ queue: 'plain', job_id: '9' });
  });

  it('what is broken is found and mended on whichever node the queue is', async () => {
    for (const queue of ['broken-a', 'broken-b', 'broken-c']) {
      await add({ queue });
      const stored = freshQueue(used.value.raw, { name: `{${queue}}` });
      await stored.seed({ jobs: { lost: { timestamp: 1 } } });
      const request = InspectQueueRequest.fromPartial({ queue });
      // A step ends early on a busy machine.
      const faults: Fault[] = [];
      for (let pageToken = ''; ; ) {
        const found = await queues().inspectQueue(frozen({ ...request, pageToken }), patient);
        faults.push(...found.faults);
        pageToken = found.nextPageToken;
        if (pageToken === '') break;
      }
      expect(faults.map(({ subject }) => subject)).toEqual(['lost']);
      const { repairs } = await queues().repairQueue({ queue, faults }, patient);
      expect(repairs.map(({ done }) => done)).toEqual(['put back into wait']);
    }
  });

  it('queues of every node are listed by their names', async () => {
    const names = ['one', 'two', 'three', 'four', 'five', 'six'];
    await Promise.all(names.map((queue) => add({ queue: `many-${queue}` })));
    const request = ListQueuesRequest.fromPartial({ prefixFilter: 'many-' });
    const answer = await queues().listQueues(request, patient);
    expect(answer.queues.map(({ queue }) => queue)).toEqual(names.map((n) => `many-${n}`).sort());
  });

  it('an atomic bulk over two queues is refused as a whole', async () => {
    const items = [{ name: 'a' }, { name: 'b', queue: 'apart-2' }];
    const request = AddJobsRequest.fromPartial({ queue: 'apart-1', items });
    expect(await refused(producer().addJobs(frozen(request), patient))).toEqual({
      code: 'FAILED_PRECONDITION',
      reason: 'CROSS_SLOT',
      metadata: { field: 'items[1].queue' },
    });
    for (const name of ['{apart-1}', '{apart-2}']) {
      expect(await freshQueue(used.value.raw, { name }).read()).toEqual({});
    }
  });

  it('a parent in another slot is refused, one in the same slot is linked', async () => {
    await add({ queue: 'up', options: { jobId: 'p' } });
    const apart = add({ queue: 'down', parent: { queue: 'up', jobId: 'p' } });
    expect(await refused(apart)).toEqual({
      code: 'FAILED_PRECONDITION',
      reason: 'CROSS_SLOT',
      metadata: { field: 'parent' },
    });
    expect(await freshQueue(used.value.raw, { name: '{down}' }).read()).toEqual({});
    const child = await add({ queue: 'up', parent: { queue: 'up', jobId: 'p' } });
    const { job } = await queues().getJob({ queue: 'up', jobId: child.jobId, view: 2 }, patient);
    expect(job?.parent).toEqual({ queue: 'up', jobId: 'p' });
    const missing = add({ queue: 'up', parent: { queue: 'up', jobId: 'no' } });
    expect(await refused(missing)).toMatchObject({
      reason: 'PARENT_JOB_NOT_FOUND',
      metadata: { queue: 'up' },
    });
  });

  it('T042 cross slot in flows: a flow over two slots is refused as a whole, one in one slot is shown by its names', async () => {
    const flow = (childQueue: string, parent?: { queue: string; jobId: string }) =>
      producer().addFlow(
        flowOf(
          node({ name: 'tree' }, 'r', {
            options: { jobId: 'r' },
            children: [node({ name: childQueue }, 'c', { options: { jobId: 'c' } })],
          }),
          parent ? { parent } : {},
        ),
        patient,
      );
    expect(await refused(flow('leaf'))).toEqual({
      code: 'FAILED_PRECONDITION',
      reason: 'CROSS_SLOT',
      metadata: { field: 'root.children[0].queue' },
    });
    const above = await refused(flow('tree', { queue: 'leaf', jobId: 'p' }));
    expect([above.reason, above.metadata.field]).toEqual(['CROSS_SLOT', 'parent']);
    expect(await freshQueue(used.value.raw, { name: '{tree}' }).read()).toEqual({});
    expect((await flow('{tree}')).root?.children[0]?.queue).toBe('{tree}');
    const request = GetFlowRequest.fromPartial({ job: { queue: 'tree', jobId: 'r' } });
    const { root } = await queues().getFlow(request, patient);
    expect(root?.children.map(({ job }) => [job?.queue, job?.jobId])).toEqual([['tree', 'c']]);
  });

  it('schedules run, events are told, and nothing is left of an obliterated queue', async () => {
    const { deps, client } = used.value;
    const tail = new EventTail({ redis: client, store: deps.store, logger: deps.logger });
    const draining = new AbortController();
    const events = eventService({ ...deps, tail, draining: draining.signal });
    const subscribers = ['wide-1', 'wide-2', 'wide-3'].map((name) => ({
      name,
      subscriber: subscribe(events, { name }),
    }));
    await Promise.all(subscribers.map(({ subscriber }) => opening(subscriber)));
    const request = (name: string) => upsertOf({ name }, every(3_600_000));
    for (const { name, subscriber } of subscribers) {
      const waits = subscriber.events(2);
      const run = await schedulerService(deps).upsertScheduler(request(name), patient);
      expect((await waits).map(({ jobId }) => jobId)).toEqual([run.nextJobId, run.nextJobId]);
      await subscriber.leave();
      await queues().pauseQueue({ queue: name }, patient);
      const all = { queue: name, confirmQueue: name, force: false, limit: 0 };
      expect(await queues().obliterateQueue(all, patient)).toEqual({ done: true });
      expect(await freshQueue(used.value.raw, { name: `{${name}}` }).read()).toEqual({});
    }
    await tail.close();
  });

  it('T041 cross slot: names without braces are refused where the engine may not add them', async () => {
    const deps = { ...used.value.deps, names: new QueueNames('bull', true, 'never') };
    const request = AddJobRequest.fromPartial({ queue: 'bare', name: 'send' });
    const call = producerService(deps).addJob(request, patient);
    expect((await refused(call)).metadata.field).toBe('queue');
    const braced = AddJobRequest.fromPartial({ queue: '{bare}', name: 'send' });
    await producerService(deps).addJob(braced, patient);
    const list = ListQueuesRequest.fromPartial({ prefixFilter: '{bare' });
    const { queues: found } = await queueService(deps).listQueues(list, patient);
    expect(found).toEqual([{ queue: '{bare}', paused: false, problem: '' }]);
  });

  it('the server says that it is one', async () => {
    const answer = await gatewayService(used.value.deps).getServerInfo({}, patient);
    expect(answer.serverInfo?.redis?.cluster).toBe(true);
    expect(answer.serverInfo?.redis?.version).toMatch(/^\d/);
  });
});
