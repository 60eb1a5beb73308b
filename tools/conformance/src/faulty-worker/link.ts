import {
  type DeliveredJob,
  durationToMs,
  type WorkOpen,
  type WorkOpened,
  type WorkRequest,
  type WorkResponse,
} from '@echomq/proto/messages';
import { WorkerServiceClient } from '@echomq/proto/services';
import {
  type ClientDuplexStream,
  credentials,
  type Metadata,
  type StatusObject,
  status,
} from '@grpc/grpc-js';
import { factsOfTrailers } from './errors.js';
import type { Fault } from './faults.js';

/** What a link tells the worker. */
export interface LinkEvents {
  readonly open: () => WorkOpen;
  readonly onOpened: (opened: WorkOpened) => void;
  readonly onMessage: (message: NonNullable<WorkResponse['message']>) => void;
  /** The stream is gone. `over`: the gateway wants no more of the session. */
  readonly onDown: (over: boolean) => void;
}

const OVER = new Set(['WORKER_UNRESPONSIVE', 'SESSION_SUPERSEDED']);
const MIB = 1_048_576;

/** The worker's way to the gateway: one stream, and another one when it breaks. */
export class Link {
  readonly #address: string;
  readonly #has: (fault: Fault) => boolean;
  readonly #events: LinkEvents;
  #client: WorkerServiceClient;
  #call: ClientDuplexStream<WorkRequest, WorkResponse> | undefined;
  /** Is to follow it. */
  #next: ClientDuplexStream<WorkRequest, WorkResponse> | undefined;
  #up = false;
  #failures = 0;
  #heardAt = 0;
  #silenceMs = 10_000;
  #leaving = false;

  constructor(address: string, has: (fault: Fault) => boolean, events: LinkEvents) {
    this.#address = address;
    this.#has = has;
    this.#events = events;
    this.#client = this.#connection();
    setInterval(() => this.#listen(), 50).unref();
  }

  /** Opens a stream; the one that there is serves until the new one is open. */
  connect(): void {
    const call = this.#client.work();
    if (this.#call && !this.#has('leaves-first')) {
      this.#next = call;
    } else {
      this.#call?.cancel();
      this.#call = call;
      this.#up = false;
      this.#heardAt = performance.now();
    }
    call.on('data', (response: WorkResponse) => this.#received(call, response));
    call.on('error', () => undefined);
    call.on('status', (end: StatusObject) => setImmediate(() => this.#ended(call, end)));
    if (this.#has('heartbeat-before-open')) {
      call.write({ message: { $case: 'heartbeat', value: EMPTY_HEARTBEAT } });
    }
    const open = { message: { $case: 'open', value: this.#events.open() } } as const;
    call.write(open);
    if (this.#has('open-twice')) call.write(open);
  }

  /** The same over another connection. */
  move(): void {
    if (!this.#has('stays-on-its-connection')) this.#client = this.#connection();
    this.connect();
  }

  /** Sends a message if a stream is up. */
  send(message: NonNullable<WorkRequest['message']>): void {
    if (this.#up) this.#call?.write({ message });
  }

  /** Closes this side. `stays`: another stream follows. */
  leave(stays = false): void {
    this.#leaving = !stays;
    this.#call?.end();
  }

  /** Reads the data that a delivery left out. */
  async read(job: DeliveredJob): Promise<Buffer> {
    const parts: Buffer[] = [];
    const target = job.lease && ({ $case: 'lease', value: job.lease } as const);
    for await (const { chunk } of this.#client.getJobData({ target })) parts.push(chunk);
    return Buffer.concat(parts);
  }

  #connection(): WorkerServiceClient {
    return new WorkerServiceClient(this.#address, credentials.createInsecure(), {
      'grpc.max_receive_message_length': this.#has('small-messages') ? MIB : 4 * MIB,
      'grpc.use_local_subchannel_pool': 1,
      'grpc.initial_reconnect_backoff_ms': 100,
      'grpc.max_reconnect_backoff_ms': 1_000,
    });
  }

  #received(call: unknown, { message }: WorkResponse): void {
    if (message?.$case === 'opened' && call === this.#next) {
      this.#call?.cancel();
      this.#call = this.#next;
      this.#next = undefined;
    }
    if (call !== this.#call) return;
    this.#heardAt = performance.now();
    if (message?.$case === 'opened') {
      const intervalMs = durationToMs(message.value.keepaliveInterval) ?? 15_000;
      this.#silenceMs = intervalMs * (this.#has('impatient') ? 0.2 : 2.5);
      this.#up = true;
      this.#events.onOpened(message.value);
    } else if (message) {
      if (message.$case === 'reportAck') this.#failures = 0;
      this.#events.onMessage(message);
    } else if (this.#has('chokes-on-news')) {
      this.#call?.cancel();
    }
  }

  #listen(): void {
    if (!this.#up || this.#has('waits-for-ever')) return;
    if (performance.now() - this.#heardAt > this.#silenceMs) this.#call?.cancel();
  }

  #ended(call: unknown, { code, metadata }: StatusObject): void {
    if (call === this.#next) {
      this.#next = undefined;
      this.#again(metadata);
      return;
    }
    if (call !== this.#call) return;
    this.#up = false;
    this.#call = this.#next;
    this.#next = undefined;
    if (this.#leaving) {
      this.#client.close();
      return;
    }
    if (this.#has('gives-up')) process.exit(3);
    if (code === status.UNAUTHENTICATED && this.#has('gives-up-unauthenticated')) process.exit(4);
    if (code === status.OK && this.#has('takes-ok-for-the-end')) return;
    const moving = this.#call !== undefined;
    const over = OVER.has(factsOfTrailers(metadata).reason);
    this.#events.onDown(over && (!moving || this.#has('takes-superseded-for-the-end')));
    if (!moving) this.#again(metadata);
  }

  #again(metadata: Metadata): void {
    const { retryAfterMs = 0 } = factsOfTrailers(metadata);
    this.#failures += 1;
    const bound = Math.min(10_000, 100 * 2 ** (this.#failures - 1));
    const asked = this.#has('ignores-retry-info') ? 0 : retryAfterMs;
    const waitMs = this.#has('no-backoff') ? 0 : Math.max(Math.random() * bound, asked);
    setTimeout(() => this.connect(), waitMs);
  }
}

const EMPTY_HEARTBEAT = { seq: 1, holdings: undefined, ackedThrough: 0, load: undefined };
