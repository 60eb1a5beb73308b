import { fromIoredis } from '@echomq/core/ioredis';
import {
  AddJobRequest,
  AddJobsRequest,
  ListQueuesRequest,
  RemoveJobRequest,
} from '@echomq/proto/messages';
import { freshQueue, startCluster, useStarted } from '@echomq/testkit';
import { describe, expect, it } from 'vitest';
import { QueueNames } from '../../src/queue-names.js';
import { gatewayService } from '../../src/services/gateway/gateway-service.js';
import { producerService } from '../../src/services/producer/producer-service.js';
import { queueService } from '../../src/services/queue/queue-service.js';
import { depsOf, frozen, patient, refused } from '../use-services.js';

const used = useStarted(async () => {
  const cluster = await startCluster(3);
  const raw = cluster.connect();
  const client = fromIoredis(raw);
  await client.whenReady(AbortSignal.timeout(10_000));
  return {
    raw,
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

  it('names without braces are refused where the engine may not add them', async () => {
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
