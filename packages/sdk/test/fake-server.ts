import type { CallContext, Services, WorkLink } from '@echomq/engine';
import * as pb from '@echomq/proto/messages';
import { type Collected, collect } from '@echomq/testkit';
import { onTestFinished } from 'vitest';
import { Connection } from '../src/connection.js';
import { ServicesTransport } from '../src/embedded/services-transport.js';
import { type Handler, Worker, type WorkerOptions } from '../src/index.js';

type Case = NonNullable<pb.WorkRequest['message']>['$case'];
type ValueOf<C extends Case> = Extract<
  NonNullable<pb.WorkRequest['message']>,
  { $case: C }
>['value'];
type Answer = NonNullable<pb.WorkResponse['message']>;

/** The fake stands for a gateway: what a worker does with a server in its own process is not what is tested. */
class FarTransport extends ServicesTransport {
  override readonly near = false;
}

/** The terms of a lock of 900 ms: a heartbeat within 300, sure of a lease for 600. */
export const TERMS: Readonly<Record<'heartbeatMs' | 'livenessMs' | 'keepaliveMs', number>> = {
  heartbeatMs: 300,
  livenessMs: 600,
  keepaliveMs: 1_000,
};

/** One Work stream, the server's side in the test's hands. */
export class FakeStream {
  readonly requests: Collected<NonNullable<pb.WorkRequest['message']>> = collect('requests');
  readonly #link: WorkLink;
  readonly #end: { resolve(): void; reject(error: unknown): void };
  /** The worker has closed its side, or broken the stream. */
  inputEnded = false;
  /** The worker has broken the stream. */
  readonly broken: AbortSignal;
  #read = 0;

  constructor(
    link: WorkLink,
    context: CallContext,
    end: { resolve(): void; reject(error: unknown): void },
  ) {
    this.#link = link;
    this.#end = end;
    this.broken = context.signal;
    void this.#pump();
  }

  /** The next message of that kind which this has not given out yet; others are skipped. */
  async next<C extends Case>(kind: C, limitMs?: number): Promise<ValueOf<C>> {
    for (;;) {
      await this.requests.waitFor(this.#read + 1, limitMs);
      const message = this.requests.items[this.#read];
      this.#read += 1;
      if (message?.$case === kind) return message.value as ValueOf<C>;
    }
  }

  /** All messages of a kind so far. */
  all<C extends Case>(kind: C): ValueOf<C>[] {
    return this.requests.items
      .filter((message) => message.$case === kind)
      .map((message) => message.value as ValueOf<C>);
  }

  send(message: Answer): void {
    this.#link.send({ message });
  }

  /** Answers the open. */
  opened(more: Partial<pb.WorkOpened> = {}, terms: Partial<typeof TERMS> = {}): void {
    const { heartbeatMs, livenessMs, keepaliveMs } = { ...TERMS, ...terms };
    this.send({
      $case: 'opened',
      value: {
        ...pb.WorkOpened.create(),
        heartbeatInterval: pb.msToDuration(heartbeatMs),
        livenessTimeout: pb.msToDuration(livenessMs),
        keepaliveInterval: pb.msToDuration(keepaliveMs),
        ...more,
      },
    });
  }

  /** Delivers jobs. */
  deliver(...jobs: readonly pb.DeliveredJob[]): void {
    this.send({ $case: 'delivery', value: { jobs: [...jobs] } });
  }

  /** Answers a report in good order. */
  ack(reportId: number, disposition: pb.Disposition = pb.Disposition.COMPLETED): void {
    const value = { disposition, attemptsMade: 1, retryIn: undefined, replayed: false };
    this.send({ $case: 'reportAck', value: { reportId, outcome: { $case: 'result', value } } });
  }

  /** Refuses a report. */
  refuse(reportId: number, status: pb.Status): void {
    this.send({
      $case: 'reportAck',
      value: { reportId, outcome: { $case: 'error', value: status } },
    });
  }

  /** Answers each heartbeat from now on, as a server does whose store is well. */
  answerHeartbeats(): void {
    let seen = 0;
    const timer = setInterval(() => {
      for (const { seq } of this.all('heartbeat').slice(seen)) {
        seen += 1;
        this.send({ $case: 'heartbeatAck', value: { seq, leases: [] } });
      }
    }, 5);
    const stop = () => clearInterval(timer);
    this.broken.addEventListener('abort', stop, { once: true });
    onTestFinished(stop);
  }

  /** Ends the stream: in good order, or with an error. */
  end(error?: unknown): void {
    if (error === undefined) this.#end.resolve();
    else this.#end.reject(error);
  }

  async #pump(): Promise<void> {
    for await (const { message } of this.#link.requests) if (message) this.requests.push(message);
    this.inputEnded = true;
  }
}

/** A server whose streams the test plays. */
export class FakeServer {
  readonly streams: Collected<FakeStream> = collect('streams');
  readonly connection: Connection;

  constructor(others: Partial<Services> = {}) {
    const work = (link: WorkLink, context: CallContext) =>
      new Promise<void>((resolve, reject) => {
        context.signal.addEventListener('abort', () => resolve(), { once: true });
        this.streams.push(new FakeStream(link, context, { resolve, reject }));
      });
    const services = { worker: { ...others.worker, work }, ...without(others) } as Services;
    this.connection = new Connection(new FarTransport(services, { freeze: true }));
  }

  /** The n-th stream, from 1, once it is there. */
  async stream(n: number, limitMs?: number): Promise<FakeStream> {
    const stream = (await this.streams.waitFor(n, limitMs))[n - 1];
    if (stream === undefined) throw new Error(`no stream ${n}`);
    return stream;
  }

  /** A worker on the queue `q`, ended with the test. */
  worker<Data = unknown, Result = unknown>(
    handler: Handler<Data, Result>,
    options: Partial<WorkerOptions> = {},
  ): Worker<Data, Result> {
    const worker = new Worker<Data, Result>('q', handler, {
      connection: this.connection,
      name: 'tester',
      ...options,
    });
    worker.on('error', () => {});
    onTestFinished(() => this.#end(worker as Worker));
    return worker;
  }

  /** Nobody answers its last words. */
  async #end(worker: Worker): Promise<void> {
    const closed = worker.close({ timeoutMs: 0 });
    await this.connection.transport.close();
    await closed;
  }
}

function without({ worker: _worker, ...others }: Partial<Services>): Partial<Services> {
  return others;
}

/** A job as it is delivered. */
export function delivery(id: string, more: Partial<pb.DeliveredJob> = {}): pb.DeliveredJob {
  return {
    ...pb.DeliveredJob.create(),
    lease: { queue: 'q', jobId: id, leaseToken: `t-${id}` },
    name: 'x',
    data: Buffer.from('{"n":1}'),
    dataSize: 7,
    attempt: 1,
    attemptsStarted: 1,
    createdAt: new Date(1_000),
    lockTtl: pb.msToDuration(900),
    ...more,
  };
}
