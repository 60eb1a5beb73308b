import type * as pb from '@echomq/proto/messages';
import type {
  EventServiceService,
  GatewayServiceService,
  ProducerServiceService,
  QueueServiceService,
  SchedulerServiceService,
  WorkerServiceService,
} from '@echomq/proto/services';
import type { EchoMQError } from '../errors.js';

/** The services of `echomq.v1` by short name; types alone, so that no gRPC is loaded with them. */
export interface ServiceDefinitions {
  producer: ProducerServiceService;
  worker: WorkerServiceService;
  queue: QueueServiceService;
  scheduler: SchedulerServiceService;
  event: EventServiceService;
  gateway: GatewayServiceService;
}

/** A service by its short name. */
export type Service = keyof ServiceDefinitions;

type MethodsWith<S extends Service, Shape> = {
  [M in keyof ServiceDefinitions[S]]: ServiceDefinitions[S][M] extends Shape ? M : never;
}[keyof ServiceDefinitions[S]] &
  string;

/** The methods of a service with one message each way. */
export type UnaryMethod<S extends Service> = MethodsWith<
  S,
  { requestStream: false; responseStream: false }
>;

/** The methods of a service that answer with a stream. */
export type StreamMethod<S extends Service> = MethodsWith<
  S,
  { requestStream: false; responseStream: true }
>;

/** What a method takes. */
export type RequestOf<
  S extends Service,
  M extends keyof ServiceDefinitions[S],
> = ServiceDefinitions[S][M] extends { requestSerialize(value: infer Request): Buffer }
  ? Request
  : never;

/** What a method answers. */
export type ResponseOf<
  S extends Service,
  M extends keyof ServiceDefinitions[S],
> = ServiceDefinitions[S][M] extends { responseDeserialize(value: Buffer): infer Response }
  ? Response
  : never;

/** How long a call may take, and what ends it sooner. */
export interface CallOptions {
  /** Ms until the call rejects with `DeadlineExceeded`. */
  readonly timeoutMs: number;
  /** Its abort ends the call with `CANCELLED`. */
  readonly signal?: AbortSignal | undefined;
}

/** What a Work stream tells its owner. Never called before `work` has resolved. */
export interface WorkStreamEvents {
  onMessage(message: pb.WorkResponse): void;
  /** Once, last, however the stream ends; without an error after a drain. Not after the owner's own `cancel`. */
  onEnd(error: EchoMQError | undefined): void;
}

/** The worker's end of a Work stream. */
export interface WorkStream {
  /** Sends a message. False: the buffer is full now; the message is on its way all the same. */
  send(message: pb.WorkRequest): boolean;
  /** Whether messages leave without piling up here. */
  readonly writable: boolean;
  /** Calls back once, when {@link writable} is true again. */
  whenWritable(listener: () => void): void;
  /** Closes this side; what is on its way still arrives. */
  end(): void;
  /** Breaks the stream at once; no more callbacks. */
  cancel(): void;
}

/** How a Work stream is opened. */
export interface WorkOptions {
  /** Over a new connection, even if there is one: the server asked for it. */
  readonly fresh: boolean;
}

/**
 * What the SDK's classes stand on: the calls of `echomq.v1`, whoever carries them. Messages passed in are not changed.
 * Everything rejects with an {@link EchoMQError} and nothing else.
 */
export interface Transport {
  /** Where it leads, for messages to people. */
  readonly target: string;
  /** Whether the transport repeats by itself what is safe to repeat without a request id. */
  readonly repeatsByItself: boolean;
  /** The services are in this process: what blocks one blocks both. */
  readonly near?: boolean;
  unary<S extends Service, M extends UnaryMethod<S>>(
    service: S,
    method: M,
    request: RequestOf<S, M>,
    options: CallOptions,
  ): Promise<ResponseOf<S, M>>;
  serverStream<S extends Service, M extends StreamMethod<S>>(
    service: S,
    method: M,
    request: RequestOf<S, M>,
    signal?: AbortSignal,
  ): AsyncIterable<ResponseOf<S, M>>;
  work(events: WorkStreamEvents, options: WorkOptions): Promise<WorkStream>;
  /** Ends what is under way and frees everything. Never throws; more calls do nothing. */
  close(): Promise<void>;
}
