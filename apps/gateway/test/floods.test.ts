import type { JsonObject } from '@bufbuild/protobuf';
import { eventually, useRedis, useStarted } from '@echomq/testkit';
import { describe, expect, it } from 'vitest';
import { failureOf, Stand, soon } from './errors/stand.js';
import { METHODS, type OpenStream } from './errors/wire.js';

/** One message that would keep the gateway busy, and what no message should be able to do. */
const redis = useRedis();
const started = useStarted(async () => {
  const stand = await Stand.start(redis);
  return { stand, [Symbol.asyncDispose]: () => stand.close() };
});

const open = (sessionId: string, queue: string): JsonObject => ({
  open: { worker: { workerId: 'w', sessionId }, subscriptions: [{ queue, maxInFlight: 5 }] },
});

const named = (count: number): JsonObject[] =>
  Array.from({ length: count }, (_, at) => ({ leaseToken: `${at}` }));

/** A request that has one field two million times, empty. */
function floodOf(rpc: string, name: string): Uint8Array {
  const number = METHODS.get(rpc)?.input.fields.find((field) => field.name === name)?.number ?? 0;
  const bytes = Buffer.alloc(4_000_000);
  for (let at = 0; at < bytes.length; at += 2) bytes[at] = (number << 3) | 2;
  return bytes;
}

const directives = ({ answers }: OpenStream) =>
  answers.flatMap(({ directive }) => (directive ? [directive] : []));

describe('a list that would be searched for every event', () => {
  it.each([
    ['job_ids', { jobIds: Array.from({ length: 1_001 }, (_, at) => `${at}`) }],
    ['types', { types: Array.from({ length: 1_001 }, () => 'EVENT_TYPE_ADDED') }],
  ])('of over 1,000 %s is refused, at a poll and at a subscription', async (field, more) => {
    const { stand } = started.value;
    for (const rpc of ['PollEvents', 'Subscribe']) {
      const failure = await stand.fails(rpc, { queue: stand.queue().name, ...more });
      expect(failure).toMatchObject({ status: 'INVALID_ARGUMENT', fields: [field] });
      expect(failure.reason).toBe('INVALID_FIELD');
    }
  });

  it('of 1,000 finds the one event that is meant', async () => {
    const { stand } = started.value;
    const queue = stand.queue().name;
    for (const jobId of ['a', 'b', 'c']) await stand.add(queue, { options: { jobId } });
    const jobIds = [...Array.from({ length: 999 }, (_, at) => `no-${at}`), 'b'];
    const types = Array.from({ length: 1_000 }, () => 'EVENT_TYPE_ADDED');
    const from = { start: 'EVENT_START_OLDEST', wait: '0s' };
    const { events } = await stand.wire.answer('PollEvents', { queue, jobIds, types, ...from });
    expect(events.map(({ jobId }: { jobId: string }) => jobId)).toEqual(['b']);
  });
});

describe('a message of two million empty entries', () => {
  it.each([
    ['AddJobs', 'items'],
    ['FinishJobs', 'items'],
    ['ExtendLocks', 'leases'],
    ['FetchJobs', 'held'],
    ['AppendLogs', 'lines'],
    // One that should come once, again and again.
    ['AddJob', 'data'],
  ])('is refused before it is read: %s with %s', async (rpc, field) => {
    const { stand } = started.value;
    const failure = failureOf(await stand.wire.call(rpc, floodOf(rpc, field)));
    expect(failure).toMatchObject({ status: 'INVALID_ARGUMENT', reason: 'INVALID_FIELD' });
    expect(failure.message).toBe(`${field}: has far too many entries`);
  });
});

describe('a worker', () => {
  it.each(['held', 'more'])(
    'that names over 10,000 leases (%s) that it was never given ends its stream, and no other',
    async (kind) => {
      const { stand } = started.value;
      const queue = stand.queue().name;
      const witness = stand.wire.open('Work', open(`witness-${kind}`, queue));
      await witness.first;
      const stream = stand.wire.open('Work', open(`names-${kind}`, stand.queue().name));
      await stream.first;
      stream.send({ heartbeat: { seq: 1, [kind]: { jobs: named(10_001) } } });
      const failure = failureOf(await soon(stream.ended));
      expect([failure.status, failure.reason]).toEqual(['INVALID_ARGUMENT', 'PROTOCOL_VIOLATION']);
      await stand.add(queue);
      await eventually(() => expect(witness.answers.some(({ delivery }) => delivery)).toBe(true));
      witness.cancel();
      await soon(witness.ended);
    },
  );

  it('whose stream has a deadline is asked away 5 s before it, and is given nothing from then on', async () => {
    const { stand } = started.value;
    const queue = stand.queue().name;
    const begun = Date.now();
    const options = { deadline: begun + 8_000 };
    const stream = stand.wire.open('Work', open('deadline', queue), options);
    await stream.first;
    expect(directives(stream)).toEqual([]);
    await eventually(() => {
      expect(directives(stream)).toMatchObject([{ action: 'WORKER_DIRECTIVE_ACTION_RECONNECT' }]);
    }, 7_000);
    expect(Date.now() - begun).toBeGreaterThan(2_500);
    const held = (await stand.held(queue)).jobId;
    expect(held).toBe('1');
    stream.cancel();
    await soon(stream.ended);
    expect(stream.answers.filter(({ delivery }) => delivery)).toEqual([]);
  });

  it('with a deadline in ten thousand years is served as one without', async () => {
    const { stand } = started.value;
    const queue = stand.queue().name;
    const deadline = Date.now() + 10_000 * 365 * 86_400_000;
    const stream = stand.wire.open('Work', open('patient', queue), { deadline });
    await stream.first;
    await stand.add(queue);
    await eventually(() => expect(stream.answers.some(({ delivery }) => delivery)).toBe(true));
    expect(directives(stream)).toEqual([]);
    stream.cancel();
    await soon(stream.ended);
  });
});
