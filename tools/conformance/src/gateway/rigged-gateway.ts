import type { DeliveredJob, JobLease, WorkReport } from '@echomq/proto/messages';
import { GatewayServiceService } from '@echomq/proto/services';
import {
  Server,
  ServerCredentials,
  type ServerWritableStream,
  type StatusObject,
  type sendUnaryData,
} from '@grpc/grpc-js';
import { HealthImplementation } from 'grpc-health-check';
import type { Spans } from '../spans.js';
import { Violation } from '../verdict.js';
import { JobMaker } from './jobs.js';
import { RiggedStream, type WorkCall } from './rigged-stream.js';
import { serverInfo } from './server-info.js';
import { StandingRules } from './standing-rules.js';
import { endOf } from './statuses.js';
import { Transcript } from './transcript.js';
import { RAW_WORKER_SERVICE } from './wire.js';

const HOST = '127.0.0.1';
const CHUNK_BYTES = 262_144;

type Unary<Request, Response> = (
  call: { readonly request: Request },
  callback: sendUnaryData<Response>,
) => void;

/**
 * A gateway without a store: it serves Work and GetJobData on a free port of loopback and does what a case wants, also
 * what no good gateway would do. Left alone it accepts streams, adopts what it had delivered and acknowledges reports.
 */
export class RiggedGateway {
  readonly queue: string;
  readonly spans: Spans;
  /** Whether it is one of the first version of the contract. */
  readonly older: boolean;
  readonly transcript = new Transcript();
  readonly rules: StandingRules;
  readonly jobs: JobMaker;
  /** The jobs in the worker's hands, as a real gateway counts them. */
  readonly held = new Map<string, DeliveredJob>();
  /** Payloads that deliveries leave out, by token. */
  readonly payloads = new Map<string, Buffer>();
  /** Says with which status a stream is refused before it has begun. */
  admit: (attempt: number) => Partial<StatusObject> | undefined = () => undefined;
  /** What is done with an open. */
  onOpen: (stream: RiggedStream) => void = (stream) => stream.accept();
  /** What is done with a report. */
  onReport: (stream: RiggedStream, report: WorkReport) => void = (stream, report) =>
    stream.ack(report);
  readonly #streams: RiggedStream[] = [];
  #server: Server | undefined;
  #port = 0;
  #attempts = 0;
  #closed = false;

  constructor(queue: string, spans: Spans, { older = false } = {}) {
    this.queue = queue;
    this.spans = spans;
    this.older = older;
    this.rules = new StandingRules(queue);
    this.jobs = new JobMaker(queue, spans);
  }

  /** Where it listens. */
  get address(): string {
    return `${HOST}:${this.#port}`;
  }

  /** Streams that were asked for, also those that were refused. */
  get attempts(): number {
    return this.#attempts;
  }

  /** The streams, in the order in which they were asked for. */
  get streams(): readonly RiggedStream[] {
    return this.#streams;
  }

  /** Listens; after a {@link crash} on the same port. */
  async start(): Promise<void> {
    if (this.#closed) throw new Violation('the case is over');
    const server = new Server({ 'grpc.max_receive_message_length': 4 * 1_048_576 });
    server.addService(RAW_WORKER_SERVICE, {
      work: (call: WorkCall) => this.#work(call),
      getJobData: (call: ServerWritableStream<unknown, unknown>) => this.#getJobData(call as never),
      updateProgress: this.#note('UpdateProgress'),
      appendLogs: this.#note('AppendLogs'),
    });
    const getServerInfo: Unary<unknown, unknown> = (_call, callback) =>
      callback(null, { serverInfo: serverInfo(this.older) });
    server.addService(GatewayServiceService, { getServerInfo });
    new HealthImplementation({ '': 'SERVING', 'echomq.v1.WorkerService': 'SERVING' }).addToServer(
      server,
    );
    this.#port = await new Promise<number>((resolve, reject) => {
      const credentials = ServerCredentials.createInsecure();
      server.bindAsync(`${HOST}:${this.#port}`, credentials, (error, port) =>
        error ? reject(error) : resolve(port),
      );
    });
    this.#server = server;
  }

  /** Sends GOAWAY on every connection; streams on them are cut a moment later. */
  goAway(): void {
    this.#server?.drain(this.address, 200);
  }

  /** Dies: every connection is cut, nobody listens. */
  crash(): void {
    this.#server?.forceShutdown();
    this.#server = undefined;
    for (const stream of this.#streams) stream.forget();
  }

  /** Ends for good. */
  close(): void {
    this.#closed = true;
    this.crash();
  }

  /** Reports on a stream that have no answer. */
  unanswered(stream: number): number {
    const reported = this.transcript.all('report', { stream });
    return reported.filter(({ value }) => this.held.has(value.lease?.leaseToken ?? '')).length;
  }

  /** Jobs that a worker neither holds nor has reported after a reconnect go back to their queue. */
  takeBack(held: readonly JobLease[]): void {
    const kept = new Set(held.map(({ leaseToken }) => leaseToken));
    for (const { value } of this.transcript.all('report')) kept.add(value.lease?.leaseToken ?? '');
    for (const token of [...this.held.keys()]) if (!kept.has(token)) this.held.delete(token);
  }

  #work(call: WorkCall): void {
    this.#attempts += 1;
    const status = this.admit(this.#attempts);
    const stream = new RiggedStream(this, call, this.#attempts);
    this.#streams.push(stream);
    if (status) stream.end(status);
  }

  #note(method: string): Unary<{ lease?: { leaseToken: string } }, object> {
    return ({ request }, callback) => {
      this.#called(method, request.lease?.leaseToken ?? '');
      callback(null, { total: 1 });
    };
  }

  #getJobData(
    call: ServerWritableStream<
      { target?: { $case: string; value: { leaseToken?: string } } },
      { chunk: Buffer; totalSize: number }
    >,
  ): void {
    const token = call.request.target?.value.leaseToken ?? '';
    this.#called('GetJobData', token);
    const payload = this.payloads.get(token);
    if (!payload) {
      call.emit('error', endOf('LOCK_LOST'));
      return;
    }
    for (let at = 0; at < payload.length; at += CHUNK_BYTES) {
      const totalSize = at === 0 ? payload.length : 0;
      call.write({ chunk: payload.subarray(at, at + CHUNK_BYTES), totalSize });
    }
    call.end();
  }

  #called(method: string, token: string): void {
    this.transcript.add(0, { $case: 'call', value: { method, token } });
  }
}
