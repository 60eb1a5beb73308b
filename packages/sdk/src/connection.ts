import type * as pb from '@echomq/proto/messages';
import { errorOf, invalid } from './errors.js';
import type { PageOptions, Pages } from './paging/pages.js';
import { listQueues, type QueueSummary } from './queue/list-queues.js';
import { listWorkers, type WorkerRecord } from './queue/list-workers.js';
import { isRepeatable } from './transport/repeatable.js';
import { type RetryPolicy, retrying } from './transport/retry.js';
import type {
  CallOptions,
  RequestOf,
  ResponseOf,
  Service,
  Transport,
  UnaryMethod,
} from './transport/transport.js';

/** How long a call may take where nothing else is said, in ms. */
export const DEFAULT_TIMEOUT_MS = 10_000;

/** @internal How a call is made. */
export interface ConnectionCallOptions extends Partial<CallOptions> {
  /** A second time the call changes nothing; known by itself for reads and settings. */
  readonly idempotent?: boolean;
}

const PLAIN: ConnectionCallOptions = {};

/** @internal A time limit in ms. @throws InvalidRequest */
export function checkTimeout(ms: number): number {
  if (typeof ms === 'number' && ms > 0) return ms;
  throw invalid('timeoutMs', 'must be a number of ms over 0');
}

/** @internal The connection in somebody's options. @throws InvalidRequest where there is none */
export function connectionOf(options: { readonly connection: Connection } | undefined): Connection {
  const connection: unknown = options?.connection;
  if (connection instanceof Connection) return connection;
  throw invalid('connection', 'must be what connect() or embedded() returned');
}

/** Something that lives on a connection and must end before it. */
export interface ConnectionUser {
  close(): Promise<void>;
}

/**
 * A way to the service, shared by any number of queues and workers: made by `connect` (to a gateway) or `embedded` (in
 * this process). Close it when nothing uses it any more, or say `await using`.
 */
export class Connection implements AsyncDisposable {
  /** @internal What carries the calls. */
  readonly transport: Transport;
  readonly #timeoutMs: number;
  readonly #users = new Set<ConnectionUser>();
  #closing: Promise<void> | undefined;

  /** @internal */
  constructor(transport: Transport, timeoutMs: number = DEFAULT_TIMEOUT_MS) {
    this.transport = transport;
    this.#timeoutMs = checkTimeout(timeoutMs);
  }

  /** Where it leads, for messages to people. */
  get target(): string {
    return this.transport.target;
  }

  /**
   * Who answers: its version, limits and capabilities.
   *
   * @throws Unavailable when nobody does
   */
  async serverInfo(): Promise<pb.ServerInfo> {
    const { serverInfo } = await this.call('gateway', 'getServerInfo', {});
    if (serverInfo !== undefined) return serverInfo;
    throw errorOf('the gateway answered without its info', { code: 'INTERNAL', reason: '' });
  }

  /**
   * The queues that may be read, in the order of their names, page by page as they are asked for; a new one may take
   * some seconds to appear. BullMQ has no such call.
   *
   * @param options `prefix`: only names that begin so
   */
  getQueues(options: PageOptions & { readonly prefix?: string } = {}): Pages<QueueSummary> {
    return listQueues(this, options);
  }

  /** The workers of all queues that may be read, page by page; see `Queue.getWorkers`. BullMQ has no such call. */
  getWorkers(options: PageOptions = {}): Pages<WorkerRecord> {
    return listWorkers(this, '', options);
  }

  /**
   * @internal One call, with the connection's time limit, repeated where that is safe and worth while.
   */
  call<S extends Service, M extends UnaryMethod<S>>(
    service: S,
    method: M,
    request: RequestOf<S, M>,
    options: ConnectionCallOptions = PLAIN,
  ): Promise<ResponseOf<S, M>> {
    const { timeoutMs = this.#timeoutMs, signal } = options;
    return retrying(
      (left) => this.transport.unary(service, method, request, left),
      { timeoutMs, signal },
      () => this.#policyOf(service, method, { request, options }),
    );
  }

  #policyOf(
    service: Service,
    method: string,
    call: { readonly request: unknown; readonly options: ConnectionCallOptions },
  ): RetryPolicy {
    const repeatable = isRepeatable(service, method);
    const { idempotent = repeatable } = call.options;
    const { requestId = '' } = call.request as { readonly requestId?: string };
    return {
      // What the transport repeats is not repeated on top of it.
      mayRepeat: !(repeatable && this.transport.repeatsByItself),
      mayRepeatUnknown: () => idempotent || (requestId !== '' && this.#keepsReceipts()),
    };
  }

  /** Whether the server remembers request ids. A server that cannot be asked is not trusted to. */
  async #keepsReceipts(): Promise<boolean> {
    try {
      return (await this.serverInfo()).capabilities.receipts ?? false;
    } catch {
      return false;
    }
  }

  /** @internal Notes what must be closed before the connection. Returns the way to forget it. */
  hold(user: ConnectionUser): () => void {
    this.#users.add(user);
    return () => this.#users.delete(user);
  }

  /** Closes the workers that still run on it, waiting for their handlers, then the connection. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await Promise.allSettled([...this.#users].map((user) => user.close()));
    await this.transport.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}
