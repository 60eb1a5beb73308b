import type {
  DeliveredJob,
  JobOutcome,
  WorkerInfo,
  WorkOpen,
  WorkRequest,
  WorkResponse,
} from '@echomq/proto/messages';
import { type Collected, collect, type FreshQueue } from '@echomq/testkit';
import type { Engine } from '../src/engine.js';
import type { WorkLink } from '../src/service.js';

type Message = NonNullable<WorkResponse['message']>;
type Case<C extends Message['$case']> = Extract<Message, { $case: C }>['value'];

/** A worker's end of a Work stream, played by a test. */
export interface TestWorker {
  /** All that came, in order. */
  readonly came: Collected<Message>;
  /** Settles when the stream is over. */
  readonly over: Promise<void>;
  send(message: NonNullable<WorkRequest['message']>): void;
  /** The next so many messages of a kind, since the start. */
  waitFor<C extends Message['$case']>(kind: C, count?: number): Promise<Case<C>[]>;
  /** Those of a kind that came so far. */
  of<C extends Message['$case']>(kind: C): Case<C>[];
  /** Closes this side. */
  halfClose(): void;
  /** Breaks the link, as a crash does. */
  cut(): void;
  /** Tells of each message, the ones that came already included. */
  onMessage(listener: (message: Message) => void): void;
  /** Whether the peer's buffer takes more. */
  setWritable(writable: boolean): void;
}

/** Opens a stream with an engine. */
export function openWork(engine: Engine, open?: WorkOpen): TestWorker {
  const came = collect<Message>('messages');
  const abort = new AbortController();
  const queue: WorkRequest[] = [];
  let wake: (() => void) | undefined;
  let closed = false;
  let writable = true;
  let listen: ((message: Message) => void) | undefined;
  const listeners = new Set<() => void>();
  const link: WorkLink = {
    requests: (async function* () {
      for (;;) {
        const next = queue.shift();
        if (next) yield next;
        else if (closed) return;
        else
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
      }
    })(),
    send: ({ message }) => {
      if (message) came.push(message);
      if (message) listen?.(message);
      return writable;
    },
    get writable() {
      return writable;
    },
    onWritable: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  const over = engine.services.worker.work(link, { signal: abort.signal });
  over.catch(() => undefined);
  const send = (message: NonNullable<WorkRequest['message']>) => {
    queue.push({ message });
    wake?.();
  };
  const halfClose = () => {
    closed = true;
    wake?.();
  };
  if (open) send({ $case: 'open', value: open });
  const of = <C extends Message['$case']>(kind: C) =>
    came.items.filter((item) => item.$case === kind).map((item) => item.value as Case<C>);
  return {
    came,
    over,
    send,
    of,
    halfClose,
    async waitFor(kind, count = 1) {
      for (let seen = 0; of(kind).length < count; seen = came.items.length) {
        await came.waitFor(seen + 1);
      }
      return of(kind);
    },
    cut() {
      closed = true;
      abort.abort();
      wake?.();
    },
    onMessage(listener) {
      for (const message of came.items) listener(message);
      listen = listener;
    },
    setWritable(now) {
      writable = now;
      if (now) for (const listener of listeners) listener();
    },
  };
}

/** An open with its defaults: one queue, a window of 10. */
export function openOf(
  queue: FreshQueue,
  more: Partial<WorkOpen> = {},
  maxInFlight = 10,
): WorkOpen {
  return {
    worker: sessionOf(`s-${Math.random()}`),
    subscriptions: [subscriptionOf(queue, { maxInFlight })],
    globalMaxInFlight: undefined,
    held: [],
    epoch: 0,
    load: undefined,
    features: [],
    ackedThrough: 0,
    ...more,
  };
}

/** A subscription with its defaults. */
export function subscriptionOf(
  queue: FreshQueue,
  more: Partial<WorkOpen['subscriptions'][number]> = {},
): WorkOpen['subscriptions'][number] {
  return {
    queue: queue.name,
    maxInFlight: 10,
    maxInFlightBytes: undefined,
    lockDuration: undefined,
    weight: 0,
    rateLimit: undefined,
    ...more,
  };
}

/** A worker with a session of this name. */
export function sessionOf(sessionId: string): WorkerInfo {
  const nobody = { sdk: undefined, host: '', pid: 0, labels: {} };
  return { workerId: 'w', sessionId, name: 'tester', ...nobody };
}

/** A heartbeat that names these jobs as running. */
export function beat(
  jobs: readonly (DeliveredJob | undefined)[],
  seq = 1,
): NonNullable<WorkRequest['message']> {
  const held = jobs.map((job) => ({ leaseToken: job?.lease?.leaseToken ?? '', running: true }));
  const holdings = { $case: 'held', value: { jobs: held } } as const;
  return { $case: 'heartbeat', value: { seq, holdings, ackedThrough: 0, load: undefined } };
}

/** A report on a job. */
export function report(
  reportId: number,
  job: DeliveredJob | undefined,
  kind: NonNullable<JobOutcome['kind']>,
  ackedThrough = 0,
): NonNullable<WorkRequest['message']> {
  const value = { reportId, ackedThrough, lease: job?.lease, outcome: { kind } };
  return { $case: 'report', value: { ...value, progress: Buffer.alloc(0), logs: [] } };
}
