import { expect, it } from 'vitest';
import {
  EchoMQError,
  type FlowJob,
  FlowProducer,
  InvalidRequest,
  type JobsOptions,
} from '../src/index.js';
import { overBoth } from './places.js';

overBoth('FlowProducer', (place) => {
  const family = () => {
    const parents = place.queue<unknown, unknown>();
    const children = place.queue<unknown, unknown>(parents.connection);
    return { parents, children, flows: new FlowProducer(parents) };
  };

  it('adds a tree and gives its jobs in its shape', async () => {
    const { parents, children, flows } = family();
    const tree: FlowJob = {
      name: 'album',
      queueName: parents.name,
      data: { n: 0 },
      opts: { attempts: 2 },
      children: [
        { name: 'one', queueName: children.name, data: { n: 1 }, opts: { jobId: 'first' } },
        {
          name: 'two',
          queueName: children.name,
          children: [{ name: 'x', queueName: children.name }],
        },
      ],
    };
    const { job, children: nodes } = await flows.add(tree);
    expect(job).toMatchObject({
      name: 'album',
      queueName: parents.name,
      data: { n: 0 },
      state: 'waiting-children',
      parent: undefined,
    });
    expect(nodes.map(({ job: child }) => [child.name, child.state, child.data])).toEqual([
      ['one', 'waiting', { n: 1 }],
      ['two', 'waiting-children', {}],
    ]);
    expect(nodes[0]?.job).toMatchObject({
      id: 'first',
      parent: { id: job.id, queue: parents.name },
    });
    expect(nodes[1]?.children[0]?.job.parent).toEqual({
      id: nodes[1]?.job.id,
      queue: children.name,
    });
    expect(await parents.getWaitingChildrenCount()).toBe(1);
    expect(await children.getJobCounts('waiting', 'waiting-children')).toEqual({
      waiting: 2,
      'waiting-children': 1,
    });
    expect((await parents.getJob(job.id))?.opts).toMatchObject({ attempts: 2 });
  });

  it('runs children first and hands their results to the parent', async () => {
    const { parents, children, flows } = family();
    place.worker(children, (job) => `${job.name}!`);
    place.worker(parents, (job) => job.getChildrenValues());
    const { job } = await flows.add({
      name: 'album',
      queueName: parents.name,
      children: ['a', 'b'].map((name) => ({
        name,
        queueName: children.name,
        opts: { jobId: `child-${name}` },
      })),
    });
    expect(await job.waitUntilFinished(undefined, 15_000)).toEqual({
      [`${children.name}:child-a`]: 'a!',
      [`${children.name}:child-b`]: 'b!',
    });
    expect(await job.getChildrenValues()).toEqual({
      [`${children.name}:child-a`]: 'a!',
      [`${children.name}:child-b`]: 'b!',
    });
    expect(await job.getDependenciesCount()).toEqual({
      ...{ processed: 2, unprocessed: 0, failed: 0, ignored: 0 },
    });
    const { processed } = await job.getDependencies();
    expect(processed.map(({ id, returnvalue }) => [id, returnvalue]).sort()).toEqual([
      ['child-a', 'a!'],
      ['child-b', 'b!'],
    ]);
  });

  it('reads a tree as deep and as wide as it is asked to', async () => {
    const { parents, children, flows } = family();
    const { job } = await flows.add({
      name: 'top',
      queueName: parents.name,
      children: [1, 2, 3].map((n) => ({
        name: `middle ${n}`,
        queueName: children.name,
        data: { n },
        children: [{ name: 'leaf', queueName: children.name }],
      })),
    });
    const place = { queueName: parents.name, id: job.id };
    const whole = await flows.getFlow(place);
    expect(whole?.job.name).toBe('top');
    expect(whole?.dependencies).toEqual({ processed: 0, unprocessed: 3, failed: 0, ignored: 0 });
    expect(whole?.children.map((node) => node.job.name).sort()).toEqual([
      ...['middle 1', 'middle 2', 'middle 3'],
    ]);
    expect(whole?.children.map(({ children: [leaf] }) => leaf?.job.name)).toEqual([
      ...['leaf', 'leaf', 'leaf'],
    ]);
    expect(whole?.children[0]?.job.data).toEqual({ n: expect.any(Number) });
    const part = await flows.getFlow({ ...place, depth: 1, maxChildren: 2, basic: true });
    expect(part?.children).toHaveLength(2);
    expect(part?.children[0]?.children).toEqual([]);
    expect(part?.dependencies.unprocessed).toBe(3);
    expect(await flows.getFlow({ ...place, id: 'nothing' })).toBeUndefined();
  });

  it.each([
    ['failParentOnFailure', 'failed', { failed: 1 }],
    ['continueParentOnFailure', 'completed', { ignored: 1 }],
    ['ignoreDependencyOnFailure', 'completed', { ignored: 1 }],
    ['removeDependencyOnFailure', 'completed', {}],
  ] as const)('%s makes a parent %s', async (policy, state, counts) => {
    const { parents, children, flows } = family();
    const { job } = await flows.add({
      name: 'parent',
      queueName: parents.name,
      children: [{ name: 'bad', queueName: children.name, opts: { [policy]: true, jobId: 'bad' } }],
    });
    place.worker(children, () => {
      throw new Error('no');
    });
    place.worker(parents, (active) => active.getIgnoredChildrenFailures());
    const result = await job.waitUntilFinished(undefined, 15_000).catch((error: unknown) => error);
    expect(await job.getState()).toBe(state);
    const ignored = 'ignored' in counts ? { [`${children.name}:bad`]: 'no' } : {};
    if (state === 'completed') expect(result).toEqual(ignored);
    else expect(result).toMatchObject({ name: 'JobFailed' });
    const none = { processed: 0, unprocessed: 0, failed: 0, ignored: 0 };
    expect(await job.getDependenciesCount()).toEqual({ ...none, ...counts });
    const { failed, ignored: kept } = await job.getDependencies();
    expect([failed.length, kept.length]).toEqual([
      'failed' in counts ? 1 : 0,
      'ignored' in counts ? 1 : 0,
    ]);
  });

  it('adds under a parent, with default options per queue', async () => {
    const { parents, children, flows } = family();
    const { job: parent } = await flows.add({
      name: 'parent',
      queueName: parents.name,
      children: [{ name: 'child', queueName: children.name }],
    });
    const { job } = await flows.add(
      {
        name: 'late child',
        queueName: children.name,
        opts: { parent: { id: parent.id, queue: parents.name }, attempts: 7 },
      },
      { queuesOptions: { [children.name]: { defaultJobOptions: { attempts: 3, keepLogs: 5 } } } },
    );
    expect(job.parent).toEqual({ id: parent.id, queue: parents.name });
    expect((await children.getJob(job.id))?.opts).toMatchObject({ attempts: 7, keepLogs: 5 });
    expect((await parent.getDependenciesCount()).unprocessed).toBe(2);
  });

  it('adds trees one by one, and tells which one was refused', async () => {
    const { parents, children, flows } = family();
    const node = (name: string, opts: JobsOptions = {}): FlowJob => ({
      ...{ name, queueName: children.name, opts },
    });
    const orphan = node('orphan', { parent: { id: 'nobody', queue: parents.name } });
    expect((await flows.addBulk([node('a'), node('b')])).map(({ job }) => job.name)).toEqual([
      ...['a', 'b'],
    ]);
    const error = await flows.addBulk([node('c'), orphan, node('d')]).catch((e: unknown) => e);
    expect(error).toMatchObject({ reason: 'PARENT_JOB_NOT_FOUND', metadata: { flow: '1' } });
    expect(await children.getWaitingCount()).toBe(3);
    const results = await flows.addBulk([node('e'), orphan, node('f', { delay: -1 }), node('g')], {
      perItem: true,
    });
    expect(results.map((result) => result instanceof EchoMQError)).toEqual([
      ...[false, true, true, false],
    ]);
    expect(results[2]).toMatchObject({ field: 'flows[2].opts.delay' });
    expect(await children.getWaitingCount()).toBe(5);
  });

  const deep = (levels: number, queueName: string): FlowJob => ({
    name: 'x',
    queueName,
    children: levels === 0 ? [] : [deep(levels - 1, queueName)],
  });
  const wide = (count: number, queueName: string): FlowJob => ({
    name: 'x',
    queueName,
    children: Array.from({ length: count }, () => ({ name: 'y', queueName })),
  });

  it('takes 32 levels below the root', async () => {
    const { children, flows } = family();
    await flows.add(deep(32, children.name));
    expect(await children.getJobCounts('waiting', 'waiting-children')).toEqual({
      waiting: 1,
      'waiting-children': 32,
    });
  });

  it.each<[string, string, (queueName: string) => unknown]>([
    ['a flow that is too deep', `root${'.children[0]'.repeat(33)}`, (queue) => deep(33, queue)],
    ['a flow that is too large', 'root', (queue) => wide(2_000, queue)],
    [
      'a tree that holds itself',
      `root${'.children[0]'.repeat(33)}`,
      (queue) => {
        const node = { name: 'x', queueName: queue, children: [] as unknown[] };
        node.children.push(node);
        return node;
      },
    ],
    [
      'two fates of a parent',
      'root.children[1].opts.removeDependencyOnFailure',
      (queueName) => ({
        name: 'x',
        queueName,
        children: [
          { name: 'y', queueName },
          {
            name: 'y',
            queueName,
            opts: { failParentOnFailure: true, removeDependencyOnFailure: true },
          },
        ],
      }),
    ],
    [
      'deduplication',
      'root.children[0].opts.deduplication',
      (queueName) => ({
        name: 'x',
        queueName,
        children: [{ name: 'y', queueName, opts: { deduplication: { id: 'a' } } }],
      }),
    ],
    [
      'a parent within the tree',
      'root.children[0].opts.parent',
      (queueName) => ({
        name: 'x',
        queueName,
        children: [{ name: 'y', queueName, opts: { parent: { id: 'a', queue: queueName } } }],
      }),
    ],
    ['a prefix', 'root.prefix', (queueName) => ({ name: 'x', queueName, prefix: 'mine' })],
    ['no queue', 'root.queueName', () => ({ name: 'x' })],
    ['no name', 'root.name', (queueName) => ({ queueName })],
    ['nothing', 'root', () => undefined],
    [
      'an id that stands twice',
      'root.children[1].options.job_id',
      (queueName) => ({
        name: 'x',
        queueName,
        children: [
          { name: 'y', queueName, opts: { jobId: 'same' } },
          { name: 'y', queueName, opts: { jobId: 'same' } },
        ],
      }),
    ],
  ])('refuses %s by name, and writes nothing', async (_what, field, tree) => {
    const { children, flows } = family();
    const error = await flows.add(tree(children.name) as FlowJob).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(InvalidRequest);
    expect(error).toMatchObject({ code: 'INVALID_ARGUMENT', field });
    expect(await place.redis.freshQueue({ name: children.name }).read()).toEqual({});
  });

  it('refuses a child that waits for another parent, naming the place, and writes nothing', async () => {
    const { parents, children, flows } = family();
    const child = { name: 'child', queueName: children.name, opts: { jobId: 'ours' } };
    await flows.add({ name: 'parent', queueName: parents.name, children: [child] });
    const before = await place.redis.freshQueue({ name: parents.name }).read();
    const again = { name: 'other', queueName: parents.name, children: [child] };
    const error = await flows.add(again).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(EchoMQError);
    expect(error).toMatchObject({
      code: 'FAILED_PRECONDITION',
      reason: 'PARENT_JOB_CANNOT_BE_REPLACED',
      metadata: { field: 'root.children[0]' },
    });
    expect(await place.redis.freshQueue({ name: parents.name }).read()).toEqual(before);
  });
});
