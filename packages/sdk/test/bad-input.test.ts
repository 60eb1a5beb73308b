import { expect, it } from 'vitest';
import { embedded } from '../src/embedded/index.js';
import {
  connect,
  EchoMQError,
  FlowProducer,
  InvalidRequest,
  type JobsOptions,
  Queue,
  QueueEvents,
  Worker,
} from '../src/index.js';
import { overBoth } from './places.js';

overBoth('bad input', (place) => {
  const dump = (queue: Queue) => place.redis.freshQueue({ name: queue.name }).read();

  it.each<[string, string, object]>([
    ['a negative retention', 'opts.removeOnComplete.count', { removeOnComplete: -1 }],
    ['a negative age', 'opts.removeOnFail.age', { removeOnFail: { age: -5 } }],
    ['a negative count', 'opts.removeOnFail.count', { removeOnFail: { count: -5 } }],
    ['a negative limit', 'opts.removeOnComplete.limit', { removeOnComplete: { limit: -5 } }],
    ['an age that is NaN', 'opts.removeOnComplete.age', { removeOnComplete: { age: Number.NaN } }],
    ['an id of odd bytes', 'opts.jobId', { jobId: 'a\udfff' }],
    ['an id that is a number', 'opts.jobId', { jobId: 7 }],
    ['a header that is no text', 'opts.headers.trace', { headers: { trace: 7 } }],
    ['a parent without a queue', 'opts.parent.queue', { parent: { id: 'a' } }],
    ['a parent without an id', 'opts.parent.id', { parent: { queue: 'q' } }],
    ['a parent of odd bytes', 'opts.parent.id', { parent: { id: '\ud800', queue: 'q' } }],
    [
      'a queue in the way BullMQ names it',
      'opts.parent.queue',
      { parent: { id: 'a', queue: 'bull:q' } },
    ],
    ['a retention that is a text', 'opts.removeOnFail', { removeOnFail: 'x' }],
    ['a retention with a misspelt part', 'opts.removeOnFail.ages', { removeOnFail: { ages: 1 } }],
    ['a switch that is a text', 'opts.lifo', { lifo: 'yes' }],
    ['a policy that is a number', 'opts.failParentOnFailure', { failParentOnFailure: 1 }],
    [
      'a mode that is a text',
      'opts.deduplication.extend',
      { deduplication: { id: 'x', extend: 'no' } },
    ],
    ['a backoff without a name', 'opts.backoff.type', { backoff: { delay: 5 } }],
    ['a backoff that is a text', 'opts.backoff', { backoff: 'fixed' }],
    ['a repeat option', 'opts.repeat', { repeat: { every: 1_000 } }],
    ['a timestamp', 'opts.timestamp', { timestamp: 1 }],
  ])('%s is refused by name, and nothing is written', async (_what, field, opts) => {
    const queue = place.queue();
    const error = await queue.add('x', {}, opts as JobsOptions).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(InvalidRequest);
    expect(error).toMatchObject({ code: 'INVALID_ARGUMENT', field });
    const items = [
      { name: 'x', data: {} },
      { name: 'x', data: {}, opts: opts as JobsOptions },
    ];
    const bulk = await queue.addBulk(items).catch((e: unknown) => e);
    expect(bulk).toBeInstanceOf(InvalidRequest);
    expect(bulk).toMatchObject({ field: `items[1].${field}` });
    expect(await dump(queue)).toEqual({});
  });

  it('an option that nothing would look at is refused by name', () => {
    const options = { connection: place.connection(), maxStalledCount: 3, prefix: 'x' };
    const field = 'options.maxStalledCount';
    // A worker alone: a queue may be given the options that a worker gets too.
    expect(() => new Worker('q', () => 1, options)).toThrow(expect.objectContaining({ field }));
  });

  it('so is one of a list, and one of a preview', async () => {
    const queue = place.queue();
    const misspelt = { limit: 5 } as object;
    expect(() => queue.getJobs(['failed'], misspelt)).toThrow(
      expect.objectContaining({ field: 'options.limit' }),
    );
    await expect(queue.previewSchedule({ every: 5 }, misspelt)).rejects.toMatchObject({
      field: 'options.limit',
    });
  });

  it('a bulk that is no list, and one with a hole, are refused by name', async () => {
    const queue = place.queue();
    await expect(queue.addBulk({} as never)).rejects.toMatchObject({ field: 'items' });
    await expect(queue.addBulk([undefined as never])).rejects.toMatchObject({ field: 'items[0]' });
    const flows = new FlowProducer({ connection: place.connection() });
    await expect(flows.addBulk('x' as never)).rejects.toMatchObject({ field: 'flows' });
    expect(await dump(queue)).toEqual({});
  });

  it.each([['\ud800'], [undefined as never], [7 as never]])(
    'the name %j is refused, and nothing is written',
    async (name) => {
      const queue = place.queue();
      await expect(queue.add(name, {})).rejects.toMatchObject({ field: 'name' });
      expect(await dump(queue)).toEqual({});
    },
  );

  it('a child of nobody is refused, and nothing is written', async () => {
    const queue = place.queue();
    const parent = { id: 'nobody', queue: queue.name };
    const error = await queue.add('x', {}, { parent }).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(EchoMQError);
    expect(error).toMatchObject({ code: 'FAILED_PRECONDITION', reason: 'PARENT_JOB_NOT_FOUND' });
    expect(await dump(queue)).toEqual({});
  });

  it('a child that another parent waits for is refused, and nothing is written', async () => {
    const queue = place.queue();
    const [one, two] = await queue.addBulk([1, 2].map(() => ({ name: 'parent', data: {} })));
    const childOf = (id = '') => ({ jobId: 'child', parent: { id, queue: queue.name } });
    await queue.add('child', {}, childOf(one?.id));
    const before = await dump(queue);
    const error = await queue.add('child', {}, childOf(two?.id)).catch((e: unknown) => e);
    expect(error).toMatchObject({
      code: 'FAILED_PRECONDITION',
      reason: 'PARENT_JOB_CANNOT_BE_REPLACED',
    });
    expect(await dump(queue)).toEqual(before);
  });
});

/** Which field is refused. */
function fieldOf(make: () => unknown): unknown {
  try {
    make();
  } catch (error) {
    return (error as InvalidRequest).field;
  }
  return 'none';
}

it.each([undefined, {}, { connection: undefined }, { connection: 'localhost:50051' }])(
  'without a connection, as in %j, nothing is made',
  (options) => {
    const given = options as never;
    const makers = [
      () => new Queue('q', given),
      () => new Worker('q', async () => 1, given),
      () => new QueueEvents('q', given),
      () => new FlowProducer(given),
    ];
    for (const make of makers) expect(fieldOf(make)).toBe('connection');
  },
);

it.each([undefined, null, 'handler', {}])('the handler %j is refused', async (handler) => {
  const connection = connect({ address: '127.0.0.1:1' });
  expect(fieldOf(() => new Worker('q', handler as never, { connection }))).toBe('handler');
  await connection.close();
});

it.each([0, -1, Number.NaN, '5' as never])('a time limit of %j is refused', (timeoutMs) => {
  expect(fieldOf(() => connect({ address: '127.0.0.1:1', timeoutMs }))).toBe('timeoutMs');
  expect(fieldOf(() => embedded({ redis: 'redis://127.0.0.1:1', timeoutMs }))).toBe('timeoutMs');
});
