import type { JsonObject } from '@bufbuild/protobuf';
import { useRedis, useStarted } from '@echomq/testkit';
import { describe, expect, it } from 'vitest';
import { Stand } from './errors/stand.js';

const redis = useRedis();
const started = useStarted(async () => {
  const stand = await Stand.start(redis);
  return { stand, [Symbol.asyncDispose]: () => stand.close() };
});

/** What is refused: of which rpc, the request, the field that is to blame, the reason. */
type Bad = readonly [what: string, rpc: string, request: JsonObject, field: string, reason: string];

const schedule = (more: JsonObject) => ({ schedulerId: 's', template: { name: 'n' }, ...more });
const cron = (expression: string, timeZone = 'UTC') =>
  schedule({ schedule: { cron: { expression, timeZone } } });
const node = (more: JsonObject = {}): JsonObject => ({ queue: 'QUEUE', name: 'n', ...more });
const job = (options: JsonObject) => ({ name: 'n', options });
const keep = (rule: JsonObject) => ({ removeOnComplete: { keep: rule } });

/** So many levels below the root. */
function deep(levels: number): JsonObject {
  let tree = node();
  for (let i = 0; i < levels; i++) tree = node({ children: [tree] });
  return tree;
}

const BAD: readonly Bad[] = [
  [
    'a schedule of nothing',
    'UpsertScheduler',
    schedule({ schedule: {} }),
    'schedule.repeat',
    'INVALID_FIELD',
  ],
  ['a bad cron', 'UpsertScheduler', cron('61 * * * *'), 'schedule.cron.expression', 'CRON_INVALID'],
  [
    'a cron of words',
    'UpsertScheduler',
    cron('every day'),
    'schedule.cron.expression',
    'CRON_INVALID',
  ],
  [
    'a day that never comes',
    'UpsertScheduler',
    cron('0 0 31 2 *'),
    'schedule.cron.expression',
    'CRON_INVALID',
  ],
  [
    'a zone that is not',
    'UpsertScheduler',
    cron('* * * * *', 'Mars/Base'),
    'schedule.cron.time_zone',
    'CRON_INVALID',
  ],
  [
    'a zone of odd form',
    'PreviewSchedule',
    { schedule: { cron: { expression: '* * * * *', timeZone: '../UTC' } } },
    'schedule.cron.time_zone',
    'CRON_INVALID',
  ],
  [
    'an interval of nothing',
    'UpsertScheduler',
    schedule({ schedule: { every: '0s' } }),
    'schedule.every',
    'INVALID_FIELD',
  ],
  [
    'an interval that goes back',
    'UpsertScheduler',
    schedule({ schedule: { every: '-1s' } }),
    'schedule.every',
    'INVALID_FIELD',
  ],
  [
    'a flow that is too deep',
    'AddFlow',
    { root: deep(33) },
    // A path is cut where it gets long.
    `root${'.children[0]'.repeat(20)}.children…`,
    'INVALID_FIELD',
  ],
  [
    'a flow that is too large',
    'AddFlow',
    { root: node({ children: Array.from({ length: 2_000 }, () => node()) }) },
    'root',
    'INVALID_FIELD',
  ],
  [
    'a job twice in a flow',
    'AddFlow',
    { root: node({ options: { jobId: 'a' }, children: [node({ options: { jobId: 'a' } })] }) },
    'root.children[0].options.job_id',
    'CUSTOM_JOB_ID_INVALID',
  ],
  [
    'a deduplicated child',
    'AddFlow',
    { root: node({ children: [node({ options: { deduplication: { id: 'a' } } })] }) },
    'root.children[0].options.deduplication',
    'INVALID_FIELD',
  ],
  [
    'an empty deduplication id',
    'AddJob',
    job({ deduplication: {} }),
    'options.deduplication.id',
    'INVALID_FIELD',
  ],
  [
    'a deduplication id that is too long',
    'AddJob',
    job({ deduplication: { id: 'x'.repeat(1_025) } }),
    'options.deduplication.id',
    'INVALID_FIELD',
  ],
  [
    'a time to live that is negative',
    'AddJob',
    job({ deduplication: { id: 'a', ttl: '-1s' } }),
    'options.deduplication.ttl',
    'INVALID_FIELD',
  ],
  [
    'a negative age',
    'AddJob',
    job(keep({ age: '-1s' })),
    'options.remove_on_complete.keep.age',
    'INVALID_FIELD',
  ],
  [
    'a negative age in a bulk',
    'AddJobs',
    { items: [{ name: 'n' }, job(keep({ age: '-1s' }))] },
    'items[1].options.remove_on_complete.keep.age',
    'INVALID_FIELD',
  ],
  [
    'a negative age in a flow',
    'AddFlow',
    { root: node({ children: [node({ options: keep({ age: '-1s' }) })] }) },
    'root.children[0].options.remove_on_complete.keep.age',
    'INVALID_FIELD',
  ],
  [
    'a negative age in a template',
    'UpsertScheduler',
    schedule({ schedule: { every: '1s' }, template: { options: keep({ age: '-1s' }) } }),
    'template.options.remove_on_complete.keep.age',
    'INVALID_FIELD',
  ],
  [
    'a cursor that is none',
    'PollEvents',
    { resumeAfter: '7-', wait: '0s' },
    'resume_after',
    'INVALID_FIELD',
  ],
];

describe('bad input, over the wire', () => {
  it.each(BAD)('%s: %s is refused by field and reason, and nothing is written', async (...bad) => {
    const [, rpc, request, field, reason] = bad;
    const { stand } = started.value;
    const queue = stand.queue();
    const named = JSON.parse(JSON.stringify(request).replaceAll('QUEUE', queue.name)) as JsonObject;
    const where = rpc === 'AddFlow' || rpc === 'PreviewSchedule' ? {} : { queue: queue.name };
    const failure = await stand.fails(rpc, { ...where, ...named });
    expect(failure).toMatchObject({ status: 'INVALID_ARGUMENT', reason, fields: [field] });
    expect(await queue.read()).toEqual({});
  });

  it('bytes that are no text are refused as a deduplication id', async () => {
    const { stand } = started.value;
    const queue = stand.queue();
    // AddJobRequest: queue 1, name 2, options 4 or wherever it stands: the id is written as text and then broken.
    const whole = stand.wire.bytesOf('AddJob', {
      queue: queue.name,
      ...job({ deduplication: { id: 'QQQQ' } }),
    });
    const at = Buffer.from(whole).indexOf('QQQQ');
    const broken = Buffer.from(whole);
    broken.set([0xff, 0xfe], at);
    const { failure } = await stand.wire.call('AddJob', broken);
    expect(failure).toMatchObject({ status: 'INVALID_ARGUMENT', reason: 'INVALID_FIELD' });
    expect(await queue.read()).toEqual({});
  });

  it.each(['a:b', '\u0000', 'é😀', ' ', '*', '{x}', 'a\nb'])(
    'the deduplication id %j is taken as it is',
    async (id) => {
      const { stand } = started.value;
      const queue = stand.queue();
      const options = { queue: queue.name, ...job({ deduplication: { id } }) };
      const first = await stand.wire.answer('AddJob', options);
      const second = await stand.wire.answer('AddJob', options);
      expect(second.jobId).toBe(first.jobId);
      expect(await redis.client.get(queue.key(`de:${id}`))).toBe(first.jobId);
    },
  );

  it('a child with another living parent is refused in a flow and alone, and nothing is written', async () => {
    const { stand } = started.value;
    const queue = stand.queue();
    const kid = { queue: queue.name, name: 'n', options: { jobId: 'kid' } };
    await stand.wire.answer('AddFlow', { root: { queue: queue.name, name: 'p', children: [kid] } });
    const parent = { queue: queue.name, jobId: await stand.add(queue.name) };
    const before = await queue.read();
    const flow = { root: { queue: queue.name, name: 'q', children: [kid] } };
    const refused = { status: 'FAILED_PRECONDITION', reason: 'PARENT_JOB_CANNOT_BE_REPLACED' };
    expect(await stand.fails('AddFlow', flow)).toMatchObject(refused);
    expect(await stand.fails('AddJob', { ...kid, parent })).toMatchObject(refused);
    expect(await queue.read()).toEqual(before);
  });

  it.each(['PollEvents', 'Subscribe'])('%s behind what was trimmed says so', async (rpc) => {
    const { stand } = started.value;
    const queue = stand.queue();
    await stand.add(queue.name);
    const [[first = ''] = []] = await redis.client.xrange(queue.key('events'), '-', '+');
    await stand.add(queue.name);
    await redis.client.xtrim(queue.key('events'), 'MAXLEN', 1);
    const [[oldest = ''] = []] = await redis.client.xrange(queue.key('events'), '-', '+');
    const before = await queue.read();
    const failure = await stand.fails(rpc, { queue: queue.name, resumeAfter: first });
    expect(failure).toMatchObject({
      ...{ status: 'OUT_OF_RANGE', reason: 'EVENT_CURSOR_TRIMMED' },
      metadata: { oldestId: oldest },
    });
    expect(await queue.read()).toEqual(before);
  });
});
