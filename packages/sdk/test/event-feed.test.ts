import { EchoMQError as EngineError, type StatusCode } from '@echomq/core';
import type { CallContext, Services } from '@echomq/engine';
import * as pb from '@echomq/proto/messages';
import { collect, signal } from '@echomq/testkit';
import { expect, it, onTestFinished, vi } from 'vitest';
import { Connection } from '../src/connection.js';
import { ServicesTransport } from '../src/embedded/services-transport.js';
import { listenTo, type Told, withoutIds } from './event-listeners.js';

type Message = NonNullable<pb.SubscribeResponse['message']>;
type Play = (request: pb.SubscribeRequest, context: CallContext) => AsyncIterable<Message>;

const opened = (cursor: string): Message => ({ $case: 'opened', value: { cursor, oldest: '' } });
const batch = (...ids: string[]): Message => ({
  $case: 'batch',
  value: {
    events: ids.map((id) => ({
      ...pb.Event.create(),
      id,
      type: pb.EventType.STALLED,
      jobId: `job ${id}`,
    })),
  },
});
const engineError = (code: StatusCode, reason: string, metadata = {}) =>
  new EngineError('ended', { code, reason, metadata });
const gone = ({ signal: over }: CallContext) =>
  new Promise((resolve) => over.addEventListener('abort', resolve));

/** A connection to a server that plays these subscriptions, one after the other; the last one again and again. */
function server(...plays: readonly [Play, ...Play[]]) {
  const requests = collect<pb.SubscribeRequest>('subscriptions');
  async function* subscribe(request: pb.SubscribeRequest, context: CallContext) {
    requests.push(request);
    const play = plays[Math.min(requests.items.length, plays.length) - 1] ?? plays[0];
    for await (const message of play(request, context)) yield { message };
  }
  const services = { event: { subscribe } } as unknown as Services;
  const connection = new Connection(new ServicesTransport(services, { freeze: true }));
  onTestFinished(() => connection.close());
  return { connection, requests };
}

const resumes = (requests: readonly pb.SubscribeRequest[]) =>
  requests.map(({ start, resumeAfter }) => [start, resumeAfter]);
const names = (told: readonly Told[]) => told.map(([name]) => name);

it('goes on after the last event that it told, whatever ends a subscription', async () => {
  const { connection, requests } = server(
    async function* () {
      yield opened('5-0');
      throw engineError('UNAVAILABLE', 'GATEWAY_DRAINING');
    },
    async function* () {
      yield opened('5-0');
      yield batch('6-0', '7-0');
    },
    async function* () {
      yield opened('7-0');
      yield { $case: 'keepalive', value: { cursor: '9-0' } };
      throw engineError('INTERNAL', 'SCRIPT_ERROR');
    },
    async function* (_request, context) {
      yield opened('9-0');
      yield batch('10-0');
      await gone(context);
    },
  );
  const { told } = listenTo({ name: 'q', connection });
  await requests.waitFor(4);
  await told.waitFor(10);
  expect(resumes(requests.items)).toEqual([
    [pb.EventStart.NOW, ''],
    [pb.EventStart.UNSPECIFIED, '5-0'],
    [pb.EventStart.UNSPECIFIED, '7-0'],
    [pb.EventStart.UNSPECIFIED, '9-0'],
  ]);
  expect(names(told.items)).toEqual([
    ...['ready', 'disconnected', 'ready', 'stalled', 'stalled', 'disconnected', 'ready'],
    ...['disconnected', 'ready', 'stalled'],
  ]);
  expect(told.items[1]?.[1]).toMatchObject({ reason: 'GATEWAY_DRAINING' });
  expect(told.items[5]?.[1]).toBeUndefined();
});

it('tells an outage once, however often it tries, and when it is over', async () => {
  const away: Play = async function* () {
    throw engineError('UNAVAILABLE', 'BACKEND_UNAVAILABLE');
    // biome-ignore lint/correctness/noUnreachable: it makes this a stream
    yield opened('');
  };
  const { connection } = server(away, away, away, away, async function* (_request, context) {
    yield opened('1-0');
    await gone(context);
  });
  const { queueEvents, told } = listenTo({ name: 'q', connection });
  await queueEvents.waitUntilReady();
  expect(names(told.items)).toEqual(['error', 'ready']);
});

it('marks what was trimmed while it was away, and goes on from the oldest', async () => {
  const { connection, requests } = server(
    async function* () {
      yield opened('5-0');
      yield batch('6-0');
    },
    async function* () {
      yield* [] as Message[];
      throw engineError('OUT_OF_RANGE', 'EVENT_CURSOR_TRIMMED', { oldestId: '20-0' });
    },
    async function* (_request, context) {
      yield opened('0-0');
      yield batch('20-0');
      yield { $case: 'gap', value: { lastSent: '20-0', firstKept: '30-0' } };
      yield batch('30-0');
      await gone(context);
    },
  );
  const { told } = listenTo({ name: 'q', connection });
  await told.waitFor(8);
  expect(resumes(requests.items)).toEqual([
    [pb.EventStart.NOW, ''],
    [pb.EventStart.UNSPECIFIED, '6-0'],
    [pb.EventStart.OLDEST, ''],
  ]);
  expect(told.items.filter(([name]) => name !== 'ready').slice(2)).toEqual([
    ['gap', { lastSeen: '6-0', firstKept: '20-0' }],
    ['stalled', { jobId: 'job 20-0' }, '20-0'],
    ['gap', { lastSeen: '20-0', firstKept: '30-0' }],
    ['stalled', { jobId: 'job 30-0' }, '30-0'],
  ]);
});

it.each([
  ['INVALID_ARGUMENT', 'INVALID_FIELD', 'InvalidRequest'],
  ['UNIMPLEMENTED', 'FEATURE_DISABLED', 'NotSupported'],
  ['PERMISSION_DENIED', 'QUEUE_ACCESS_DENIED', 'AccessDenied'],
] as const)('ends where %s says that it never will be', async (code, reason, name) => {
  const { connection, requests } = server(async function* () {
    yield* [] as Message[];
    throw engineError(code, reason);
  });
  const { queueEvents, told } = listenTo({ name: 'q', connection });
  await expect(queueEvents.waitUntilReady()).rejects.toMatchObject({ name, reason });
  expect(names(told.items)).toEqual(['error']);
  const walk = async () => {
    for await (const _event of queueEvents.events()) throw new Error('there is none');
  };
  await expect(walk()).rejects.toMatchObject({ name, reason });
  expect(requests.items).toHaveLength(2);
});

it('asks again when credentials lapse that were good', async () => {
  const { connection } = server(
    async function* () {
      yield opened('1-0');
      throw engineError('UNAUTHENTICATED', 'CREDENTIALS_EXPIRED');
    },
    async function* () {
      yield* [] as Message[];
      throw engineError('UNAUTHENTICATED', 'CREDENTIALS_EXPIRED');
    },
    async function* (_request, context) {
      yield opened('1-0');
      yield batch('2-0');
      await gone(context);
    },
  );
  const { told } = listenTo({ name: 'q', connection });
  await told.waitFor(5);
  expect(names(told.items)).toEqual(['ready', 'disconnected', 'error', 'ready', 'stalled']);
});

it('leaves a subscription that has gone silent', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const { connection } = server(async function* (_request, context) {
    yield opened('1-0');
    await gone(context);
  });
  const { told } = listenTo({ name: 'q', connection });
  await vi.advanceTimersByTimeAsync(44_000);
  expect(names(told.items)).toEqual(['ready']);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(names(told.items).slice(0, 2)).toEqual(['ready', 'disconnected']);
});

it('asks for the next event when the last one was taken, and holds one batch', async () => {
  let sent = 0;
  const { connection } = server(async function* () {
    yield opened('0-1');
    for (;;) {
      sent += 1;
      yield batch(`${sent}-0`);
    }
  });
  const { queueEvents } = listenTo({ name: 'q', connection }, { autorun: false });
  const events = queueEvents.events();
  for (let n = 1; n <= 3; n += 1) {
    const { value } = await events.next();
    expect(value).toMatchObject({ event: 'stalled', id: `${n}-0` });
    await new Promise((resolve) => setImmediate(resolve));
    expect(sent).toBe(n);
  }
  await events.return();
});

it('tells nothing more once a listener has closed it', async () => {
  const { connection } = server(async function* () {
    yield opened('0-1');
    yield batch('1-0', '2-0', '3-0');
  });
  const { queueEvents, told } = listenTo({ name: 'q', connection });
  const closed = signal('its end');
  queueEvents.on('stalled', () => void queueEvents.close().then(() => closed.resolve()));
  await closed.wait();
  expect(withoutIds(told.items)).toEqual([['stalled', { jobId: 'job 1-0' }]]);
});
