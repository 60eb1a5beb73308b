import type { Services, Unary } from '@echomq/engine';
import * as pb from '@echomq/proto/messages';
import {
  EventServiceService,
  GatewayServiceService,
  ProducerServiceService,
  QueueServiceService,
  SchedulerServiceService,
  WorkerServiceService,
} from '@echomq/proto/services';
import { type ChannelOptions, Client, credentials, type ServiceError, status } from '@grpc/grpc-js';

/** A message with any of its fields left out, at any depth. */
export type Part<T> = T extends Uint8Array | Date
  ? T
  : T extends readonly (infer Item)[]
    ? readonly Part<Item>[]
    : T extends object
      ? { readonly [K in keyof T]?: Part<T[K]> }
      : T;

type Api = Omit<Services, never>;
type Asked<F> = F extends Unary<infer Request, infer _> ? Request : never;
type Answered<F> = F extends Unary<infer _, infer Response> ? Response : never;

/** A refused call, taken apart. */
export class RawError extends Error {
  override readonly name = 'RawError';
  /** The status by its name. */
  readonly status: string;
  /** `ErrorInfo.reason`, empty where the gateway said none. */
  readonly reason: string;
  readonly metadata: Readonly<Record<string, string>>;

  constructor(error: ServiceError) {
    super(error.details);
    this.status = status[error.code];
    const [bytes] = error.metadata?.get('grpc-status-details-bin') ?? [];
    const details = bytes === undefined ? [] : pb.Status.decode(bytes as Buffer).details;
    const found = details.find(({ typeUrl }) => typeUrl.endsWith('google.rpc.ErrorInfo'));
    const info = found && pb.ErrorInfo.decode(found.value);
    this.reason = info?.reason ?? '';
    this.metadata = info?.metadata ?? {};
  }
}

const DEFINITIONS = {
  producer: ProducerServiceService,
  worker: WorkerServiceService,
  queue: QueueServiceService,
  scheduler: SchedulerServiceService,
  event: EventServiceService,
  gateway: GatewayServiceService,
};

interface Definition {
  readonly path: string;
  requestSerialize(message: unknown): Buffer;
  responseDeserialize(bytes: Buffer): unknown;
}

const MESSAGES = pb as unknown as Record<string, { fromPartial(part: unknown): unknown }>;

/** A client of the wire without any help: no retries, no sessions, what is sent is what was asked for. */
export class RawClient {
  /** For what is no unary call, such as the Work stream. */
  readonly channel: Client;

  constructor(
    readonly address: string,
    options: ChannelOptions = {},
  ) {
    this.channel = new Client(address, credentials.createInsecure(), {
      'grpc.use_local_subchannel_pool': 1,
      'grpc.initial_reconnect_backoff_ms': 50,
      'grpc.max_reconnect_backoff_ms': 200,
      'grpc.enable_retries': 0,
      ...options,
    });
  }

  /**
   * One unary call, with a deadline of 15 s unless another one is given.
   *
   * @throws RawError
   */
  call<S extends keyof Api, M extends keyof Api[S] & string>(
    service: S,
    method: M,
    request: Part<Asked<Api[S][M]>>,
    { deadlineMs = 15_000, signal }: { deadlineMs?: number; signal?: AbortSignal } = {},
  ): Promise<Answered<Api[S][M]>> {
    const definition = (DEFINITIONS[service] as unknown as Record<string, Definition>)[method];
    const type = MESSAGES[`${method.charAt(0).toUpperCase()}${method.slice(1)}Request`];
    if (!definition || !type) throw new Error(`there is no ${service}.${method}`);
    return new Promise((resolve, reject) => {
      const call = this.channel.makeUnaryRequest(
        definition.path,
        (message: unknown) => definition.requestSerialize(message),
        (bytes: Buffer) => definition.responseDeserialize(bytes),
        type.fromPartial(request),
        { deadline: Date.now() + deadlineMs },
        (error, answer) => {
          if (error) reject(new RawError(error));
          else resolve(answer as Answered<Api[S][M]>);
        },
      );
      signal?.addEventListener('abort', () => call.cancel(), { once: true });
    });
  }

  /** Closes the connection; what is under way ends with CANCELLED. */
  close(): void {
    this.channel.close();
  }
}

/** What a refused call says. @throws Error when it is accepted or fails with something else */
export async function refusalOf(call: Promise<unknown>): Promise<RawError> {
  try {
    await call;
  } catch (error) {
    if (error instanceof RawError) return error;
    throw error;
  }
  throw new Error('the call was accepted');
}
