import {
  AddFlowRequest,
  AddJobRequest,
  type FlowNode,
  PollEventsRequest,
  UpsertSchedulerRequest,
} from '@echomq/proto/messages';
import { expect, it } from 'vitest';
import { EchoMQError, InvalidRequest, type Queue } from '../src/index.js';
import { overBoth } from './places.js';

type NodePart = NonNullable<Parameters<typeof AddFlowRequest.fromPartial>[0]['root']>;

/** A flow of so many levels below its root, or with so many children. */
function flow(
  queue: string,
  shape: { readonly depth?: number; readonly width?: number },
): NodePart {
  const { depth = 0, width = 0 } = shape;
  const leaf = (): NodePart => ({ queue, name: 'leaf' });
  let node: NodePart = { queue, name: 'root', children: Array.from({ length: width }, leaf) };
  for (let level = 0; level < depth; level += 1) node = { queue, name: 'n', children: [node] };
  return node;
}

const odd = { seconds: -5, nanos: 0 };
const negative = { $case: 'keep' as const, value: { age: odd } };
const every = { $case: 'every' as const, value: { seconds: 60, nanos: 0 } };

overBoth('what comes over the wire and cannot be', (place) => {
  const dump = (queue: Queue) => place.redis.freshQueue({ name: queue.name }).read();
  const add = (queue: Queue, part: Parameters<typeof AddJobRequest.fromPartial>[0]) =>
    queue.connection.call(
      'producer',
      'addJob',
      AddJobRequest.fromPartial({ queue: queue.name, name: 'n', ...part }),
    );
  const schedule = (
    queue: Queue,
    part: NonNullable<Parameters<typeof UpsertSchedulerRequest.fromPartial>[0]['schedule']>,
  ) =>
    queue.connection.call(
      'scheduler',
      'upsertScheduler',
      UpsertSchedulerRequest.fromPartial({
        queue: queue.name,
        schedulerId: 's',
        schedule: part,
      } as never),
    );
  const addFlow = (queue: Queue, root: NodePart) =>
    queue.connection.call(
      'producer',
      'addFlow',
      AddFlowRequest.fromPartial({ root: root as FlowNode } as never),
    );
  const cron = (expression: string, timeZone = '') => ({
    repeat: { $case: 'cron' as const, value: { expression, timeZone } },
  });

  it.each<[string, string, string, (queue: Queue) => Promise<unknown>]>([
    [
      'a bad cron',
      'CRON_INVALID',
      'schedule.cron.expression',
      (queue) => schedule(queue, cron('61 * * * *')),
    ],
    [
      'a zone that there is not',
      'CRON_INVALID',
      'schedule.cron.time_zone',
      (queue) => schedule(queue, cron('* * * * *', 'Mars/Base')),
    ],
    ['a schedule of nothing', 'INVALID_FIELD', 'schedule.repeat', (queue) => schedule(queue, {})],
    [
      'a negative offset',
      'INVALID_FIELD',
      'schedule.offset',
      (queue) => schedule(queue, { repeat: every, offset: odd }),
    ],
    [
      'a flow deeper than the limit',
      'INVALID_FIELD',
      'root.children[0].children[0]',
      (queue) => addFlow(queue, flow(queue.name, { depth: 33 })),
    ],
    [
      'a flow larger than the limit',
      'INVALID_FIELD',
      'root',
      (queue) => addFlow(queue, flow(queue.name, { width: 2_000 })),
    ],
    [
      'a deduplication id that is too long',
      'INVALID_FIELD',
      'options.deduplication.id',
      (queue) => add(queue, { options: { deduplication: { id: 'é'.repeat(513) } } }),
    ],
    [
      'a retention of a negative age',
      'INVALID_FIELD',
      'options.remove_on_fail.keep.age',
      (queue) => add(queue, { options: { removeOnFail: { rule: negative } } }),
    ],
  ])('%s: INVALID_ARGUMENT %s', async (_what, reason, field, call) => {
    const queue = place.queue();
    const error = await call(queue).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(EchoMQError);
    expect(error).toMatchObject({ code: 'INVALID_ARGUMENT', reason });
    // A path that is long itself may come cut.
    expect((error as InvalidRequest).field?.slice(0, field.length)).toBe(field);
    expect(await dump(queue)).toEqual({});
  });

  it('a deduplication id of odd bytes is an id like any other; a broken text never arrives', async () => {
    const queue = place.queue();
    for (const id of ['\u0000\n', '{}:*', '😀é']) {
      await add(queue, { options: { deduplication: { id } } });
      expect(await queue.getDeduplicationJobId(id)).toBeDefined();
    }
    const broken = queue.add('x', {}, { deduplication: { id: 'a\ud800' } });
    await expect(broken).rejects.toBeInstanceOf(InvalidRequest);
  });

  it('a child of another living parent: FAILED_PRECONDITION, nothing of the flow is written', async () => {
    const queue = place.queue();
    const child = { queue: queue.name, name: 'c', options: { jobId: 'child' } };
    await addFlow(queue, { queue: queue.name, name: 'first', children: [child] });
    const before = await dump(queue);
    const second = { queue: queue.name, name: 'second', children: [child] };
    await expect(addFlow(queue, second)).rejects.toMatchObject({
      code: 'FAILED_PRECONDITION',
      reason: 'PARENT_JOB_CANNOT_BE_REPLACED',
    });
    expect(await dump(queue)).toEqual(before);
  });

  it('a cursor that was trimmed: OUT_OF_RANGE, with the oldest that there is', async () => {
    const queue = place.queue();
    await queue.addBulk(Array.from({ length: 5 }, () => ({ name: 'x', data: {} })));
    await queue.trimEvents(1);
    const [oldest] = (await dump(queue)).events as readonly object[];
    expect(oldest).toBeDefined();
    const request = PollEventsRequest.fromPartial({
      queue: queue.name,
      resumeAfter: '1-0',
    } as never);
    const error = await queue.connection.call('event', 'pollEvents', request).catch((e) => e);
    expect(error).toMatchObject({ code: 'OUT_OF_RANGE', reason: 'EVENT_CURSOR_TRIMMED' });
    expect((error as EchoMQError).metadata.oldestId).toMatch(/^\d+-\d+$/);
  });
});
