import {
  AddFlowResponse,
  JobState,
  msToDuration,
  ParentFailurePolicy,
} from '@echomq/proto/messages';
import { describe, expect, it } from 'vitest';
import { producerService } from '../../src/services/producer/producer-service.js';
import { patient, refused, useServices } from '../use-services.js';
import { chain, flowOf, type NodePart, node } from './flow-requests.js';

const used = useServices();
const addFlow = (...flow: Parameters<typeof flowOf>) =>
  producerService(used.deps).addFlow(flowOf(...flow), patient);
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('AddFlow', () => {
  it('adds a tree over two queues and answers in its shape', async () => {
    const [queue, other] = [used.queue(), used.queue()];
    const answer = await addFlow(
      node(queue, 'root', {
        options: { jobId: 'r', attempts: 2 },
        children: [
          node(other, 'a', {
            data: Buffer.from('{"n": 1.0}'),
            options: { jobId: 'a', parentFailurePolicy: ParentFailurePolicy.FAIL_PARENT },
          }),
          node(queue, 'b', {
            options: { jobId: 'b' },
            children: [node(other, 'c', { options: { jobId: 'x:y:z', priority: 3 } })],
          }),
        ],
      }),
    );
    expect(answer).toEqual({
      root: {
        queue: queue.name,
        jobId: 'r',
        state: JobState.WAITING_CHILDREN,
        children: [
          { queue: other.name, jobId: 'a', state: JobState.WAITING, children: [] },
          {
            queue: queue.name,
            jobId: 'b',
            state: JobState.WAITING_CHILDREN,
            children: [
              { queue: other.name, jobId: 'x:y:z', state: JobState.PRIORITIZED, children: [] },
            ],
          },
        ],
      },
      replayed: false,
    });
    expect(AddFlowResponse.decode(AddFlowResponse.encode(answer).finish())).toEqual(answer);
    const [dump, below] = [await queue.read(), await other.read()];
    const [up, down] = [`bull:${queue.name}`, `bull:${other.name}`];
    expect(dump['r:dependencies']).toEqual([`${down}:a`, `${up}:b`].sort());
    expect(dump['b:dependencies']).toEqual([`${down}:x:y:z`]);
    expect(dump.r).toMatchObject({ name: 'root', opts: '{"attempts":2,"jobId":"r"}' });
    expect(below.a).toMatchObject({
      data: '{"n": 1.0}',
      parentKey: `${up}:r`,
      parent: `{"id":"r","queueKey":"${up}","fpof":true}`,
      opts: `{"attempts":0,"jobId":"a","fpof":true,"parent":{"id":"r","queue":"${up}"}}`,
    });
    expect(dump.b).toMatchObject({ parent: `{"id":"r","queueKey":"${up}"}` });
    expect([below.wait, below.prioritized]).toEqual([['a'], [['x:y:z', expect.any(Number)]]]);
  });

  it('gives random ids, and hangs the root below a job that exists', async () => {
    const queue = used.queue();
    await queue.seed({ 'waiting-children': { p: 1 }, jobs: { p: {} } });
    const later = { due: { $case: 'delay' as const, value: msToDuration(60_000) } };
    const { root } = await addFlow(
      node(queue, 'root', { children: [node(queue, 'child', { options: later })] }),
      { parent: { queue: queue.name, jobId: 'p' } },
    );
    expect(root?.jobId).toMatch(UUID);
    expect(root?.children[0]?.jobId).toMatch(UUID);
    expect(root?.children[0]?.state).toBe(JobState.DELAYED);
    expect((await queue.read())['p:dependencies']).toEqual([`bull:${queue.name}:${root?.jobId}`]);
  });

  it('adds a single job, and 2,000 of them', async () => {
    const queue = used.queue();
    expect((await addFlow(node(queue, 'alone'))).root?.state).toBe(JobState.WAITING);
    const children = Array.from({ length: 1_999 }, (_, i) => node(queue, `c${i}`));
    const { root } = await addFlow(node(queue, 'root', { children }));
    expect(root?.children).toHaveLength(1_999);
    expect(await used.redis.client.llen(queue.key('wait'))).toBe(2_000);
    const deep = producerService(used.deps).addFlow(
      { root: chain(queue, 32), requestId: '', parent: undefined },
      patient,
    );
    expect((await deep).root?.state).toBe(JobState.WAITING_CHILDREN);
  });

  it('takes a job that exists in place of its node', async () => {
    const queue = used.queue();
    await queue.seed({
      completed: { c: 1 },
      jobs: { c: { returnvalue: '7' } },
      meta: { 'opts.maxLenEvents': '10000' },
    });
    const tree = node(queue, 'root', {
      options: { jobId: 'r' },
      children: [node(queue, 'c', { options: { jobId: 'c' } })],
    });
    const { root } = await addFlow(tree);
    expect(root?.children[0]?.state).toBe(JobState.COMPLETED);
    const dump = await queue.read();
    expect(dump['r:processed']).toEqual({ [`bull:${queue.name}:c`]: '7' });
    // Its only child had ended: the parent does not wait for what cannot come.
    expect(dump.wait).toEqual(['r']);
    const again = await addFlow(tree);
    expect(again.root).toMatchObject({ jobId: 'r', state: JobState.WAITING });
  });
});

describe('AddFlow refuses the whole tree and writes nothing', () => {
  const child = (options: NodePart['options'], more: NodePart = {}): NodePart => ({
    children: [
      { queue: 'q', name: 'ok' },
      { queue: 'q', name: 'c', ...(options ? { options } : {}), ...more },
    ],
  });

  it.each<[string, NodePart | undefined, string, string]>([
    ['no root', undefined, 'INVALID_FIELD', 'root'],
    ['a child without a name', child({}, { name: '' }), 'INVALID_FIELD', 'root.children[1].name'],
    [
      'a child without a queue',
      child({}, { queue: '' }),
      'INVALID_FIELD',
      'root.children[1].queue',
    ],
    [
      'no JSON deep inside',
      child({}, { children: [{ queue: 'q', name: 'd', data: Buffer.from('{') }] }),
      'PAYLOAD_NOT_JSON',
      'root.children[1].children[0].data',
    ],
    [
      'an integer as id',
      child({ jobId: '7' }),
      'CUSTOM_JOB_ID_INVALID',
      'root.children[1].options.job_id',
    ],
    [
      'deduplication',
      child({ deduplication: { id: 'x' } }),
      'INVALID_FIELD',
      'root.children[1].options.deduplication',
    ],
    [
      'one id in two places',
      {
        children: [
          { queue: 'q', name: 'a', options: { jobId: 'x' } },
          { queue: 'q', name: 'b', options: { jobId: 'x' } },
        ],
      },
      'CUSTOM_JOB_ID_INVALID',
      'root.children[1].options.job_id',
    ],
    [
      'a job below itself',
      { options: { jobId: 'p' } },
      'CUSTOM_JOB_ID_INVALID',
      'root.options.job_id',
    ],
    [
      'more than 2,000 nodes',
      { children: Array.from({ length: 2_000 }, () => ({ queue: 'q', name: 'n' })) },
      'INVALID_FIELD',
      'root',
    ],
    [
      'more than 2,000 nodes over two levels',
      {
        children: Array.from({ length: 50 }, () => ({
          queue: 'q',
          name: 'n',
          children: Array.from({ length: 40 }, () => ({ queue: 'q', name: 'n' })),
        })),
      },
      'INVALID_FIELD',
      'root',
    ],
  ])('%s', async (_, part, reason, field) => {
    const queue = used.queue();
    const root = part && node(queue, 'root', part);
    const below = part?.options?.jobId === 'p' ? { parent: { queue: queue.name, jobId: 'p' } } : {};
    expect(await refused(addFlow(root, below))).toMatchObject({
      code: 'INVALID_ARGUMENT',
      reason,
      metadata: { field },
    });
    expect(await queue.read()).toEqual({});
  });

  it('more than 32 levels, however deep', async () => {
    const queue = used.queue();
    for (const levels of [33, 100_000]) {
      const request = { root: chain(queue, levels), requestId: '', parent: undefined };
      const call = producerService(used.deps).addFlow(request, patient);
      expect((await refused(call)).metadata.field).toBe(
        `root${'.children[0]'.repeat(32)}.children`,
      );
    }
    expect(await queue.read()).toEqual({});
  });

  it('more bytes than a message has', async () => {
    const queue = used.queue();
    const data = Buffer.from(`"${'x'.repeat(1_000_000)}"`);
    const children = Array.from({ length: 5 }, () => node(queue, 'n', { data }));
    const request = flowOf(node(queue, 'root', { children }));
    const call = producerService(used.deps).addFlow(request, patient);
    expect((await refused(call)).reason).toBe('PAYLOAD_TOO_LARGE');
    expect(await queue.read()).toEqual({});
  });

  it('a parent of the root that is not there', async () => {
    const queue = used.queue();
    const parent = { queue: queue.name, jobId: 'gone' };
    expect(await refused(addFlow(node(queue, 'root'), { parent }))).toMatchObject({
      code: 'FAILED_PRECONDITION',
      reason: 'PARENT_JOB_NOT_FOUND',
      metadata: { queue: queue.name, field: 'parent' },
    });
    expect(await queue.read()).toEqual({});
  });

  it('a child that belongs to another living parent', async () => {
    const [queue, other] = [used.queue(), used.queue()];
    const owner = `bull:${other.name}:owner`;
    const parent = JSON.stringify({ id: 'owner', queueKey: `bull:${other.name}` });
    await other.seed({
      'waiting-children': { owner: 1 },
      'owner:dependencies': [`bull:${other.name}:c`],
      wait: ['c'],
      jobs: { owner: {}, c: { parent, parentKey: owner } },
    });
    const before = await other.read();
    const tree = node(queue, 'root', {
      children: [node(queue, 'a'), node(other, 'c', { options: { jobId: 'c' } })],
    });
    expect(await refused(addFlow(tree))).toMatchObject({
      reason: 'PARENT_JOB_CANNOT_BE_REPLACED',
      metadata: { queue: other.name, job_id: 'c', field: 'root.children[1]' },
    });
    expect([await queue.read(), await other.read()]).toEqual([{}, before]);
  });

  it('new children of a job that waits for none any more', async () => {
    const queue = used.queue();
    await queue.seed({ active: ['r'], jobs: { r: {} } });
    const before = await queue.read();
    const tree = node(queue, 'root', { options: { jobId: 'r' }, children: [node(queue, 'a')] });
    expect(await refused(addFlow(tree))).toMatchObject({
      code: 'FAILED_PRECONDITION',
      reason: 'JOB_NOT_IN_STATE',
      metadata: { job_id: 'r', expected: 'WAITING_CHILDREN', actual: 'ACTIVE', field: 'root' },
    });
    expect(await queue.read()).toEqual(before);
  });
});
