import type { CallOptions as GrpcCallOptions, ServiceError } from '@grpc/grpc-js';
import { errorOf, invalid } from '../errors.js';
import { checkAddress, isLoopback } from './address.js';
import { channelOptions, MAX_MESSAGE_BYTES } from './channel-options.js';
import { channelCredentials, type TlsOptions } from './credentials.js';
import { definitionOf, errorFromCall } from './grpc-calls.js';
import { type ChannelSettings, GrpcChannel } from './grpc-channel.js';
import { GrpcWorkStream } from './grpc-work-stream.js';
import { bearerMetadata, checkToken, type TokenSource } from './token.js';
import type {
  CallOptions,
  RequestOf,
  ResponseOf,
  Service,
  StreamMethod,
  Transport,
  UnaryMethod,
  WorkOptions,
  WorkStream,
  WorkStreamEvents,
} from './transport.js';

/** Where a gateway is, and how it is spoken to. */
export interface GrpcOptions {
  /** `host:port`, `[::1]:port`, `dns:///host:port` (all its addresses in turn) or `unix:path`. */
  readonly address: string;
  /** Encrypts the channel; `true`: with the authorities that Node knows. Absent: plain text. */
  readonly tls?: TlsOptions | boolean;
  /**
   * The bearer token, or what brings it: asked before each call and each new Work stream, so it can renew it. Refused on
   * a plain channel that leaves this machine.
   */
  readonly token?: TokenSource;
  /** Bound on a message each way, in bytes: the gateway's `--max-message-bytes`. 4 MiB by default, as there. */
  readonly maxMessageBytes?: number;
}

/** The calls of `echomq.v1` over gRPC. @throws InvalidRequest naming the option that cannot be used */
export function grpcTransport(options: GrpcOptions): Transport {
  return new GrpcTransport(options);
}

/** Of many workers that ask for a fresh connection at one time, one gets it for all. */
const FRESH_MS = 1_000;

class GrpcTransport implements Transport {
  readonly target: string;
  readonly repeatsByItself = true;
  readonly #settings: ChannelSettings;
  readonly #token: TokenSource | undefined;
  /** How to break each call that is under way. */
  readonly #running = new Set<() => void>();
  #channel: GrpcChannel;
  #closed = false;

  constructor({ address, tls, token, maxMessageBytes }: GrpcOptions) {
    checkAddress(address);
    checkToken(token);
    if (
      maxMessageBytes !== undefined &&
      !(Number.isInteger(maxMessageBytes) && maxMessageBytes > 0)
    ) {
      throw invalid('maxMessageBytes', 'must be a whole number over 0');
    }
    if (token !== undefined && !tls && !isLoopback(address)) {
      throw errorOf(
        `token: refused on the plain-text channel to ${address}; set \`tls\`, or use a loopback address`,
        { code: 'INVALID_ARGUMENT', reason: 'INVALID_FIELD', metadata: { field: 'token' } },
      );
    }
    this.target = address;
    this.#token = token;
    const serverName = typeof tls === 'object' ? tls?.serverName : undefined;
    this.#settings = {
      address,
      credentials: channelCredentials(tls),
      options: {
        ...channelOptions(maxMessageBytes ?? MAX_MESSAGE_BYTES),
        ...(serverName === undefined ? {} : { 'grpc.ssl_target_name_override': serverName }),
      },
    };
    this.#channel = new GrpcChannel(this.#settings);
  }

  async unary<S extends Service, M extends UnaryMethod<S>>(
    service: S,
    method: M,
    request: RequestOf<S, M>,
    { timeoutMs, signal }: CallOptions,
  ): Promise<ResponseOf<S, M>> {
    const deadline = Date.now() + timeoutMs;
    const metadata = await bearerMetadata(this.#token, { timeoutMs, signal });
    return new Promise((resolve, reject) => {
      const definition = definitionOf(service, method);
      const channel = this.#open();
      const done = channel.use();
      const call = channel.client.makeUnaryRequest(
        definition.path,
        definition.requestSerialize,
        definition.responseDeserialize,
        request,
        metadata,
        { deadline },
        (error, response) => {
          done();
          this.#running.delete(cancel);
          signal?.removeEventListener('abort', cancel);
          if (error) reject(errorFromCall(error, this.target));
          else resolve(response as ResponseOf<S, M>);
        },
      );
      const cancel = () => call.cancel();
      this.#running.add(cancel);
      if (signal?.aborted) cancel();
      else signal?.addEventListener('abort', cancel, { once: true });
    });
  }

  async *serverStream<S extends Service, M extends StreamMethod<S>>(
    service: S,
    method: M,
    request: RequestOf<S, M>,
    signal?: AbortSignal,
  ): AsyncIterable<ResponseOf<S, M>> {
    const metadata = await bearerMetadata(this.#token, { timeoutMs: 10_000, signal });
    const { path, requestSerialize, responseDeserialize } = definitionOf(service, method);
    const channel = this.#open();
    const done = channel.use();
    const call = channel.client.makeServerStreamRequest(
      path,
      requestSerialize,
      responseDeserialize,
      request,
      metadata,
    );
    const cancel = () => call.cancel();
    // The iterator rethrows what ends the call; after a cancel nobody listens any more.
    call.on('error', () => {});
    this.#running.add(cancel);
    // It may have been aborted while the token was fetched.
    if (signal?.aborted) cancel();
    else signal?.addEventListener('abort', cancel, { once: true });
    try {
      for await (const message of call) yield message as ResponseOf<S, M>;
    } catch (error) {
      throw errorFromCall(error as ServiceError, this.target);
    } finally {
      cancel();
      done();
      this.#running.delete(cancel);
      signal?.removeEventListener('abort', cancel);
    }
  }

  async work(events: WorkStreamEvents, { fresh }: WorkOptions): Promise<WorkStream> {
    const metadata = await bearerMetadata(this.#token, { timeoutMs: 10_000 });
    if (fresh && this.#channel.ageMs > FRESH_MS) this.#renew();
    const { path, requestSerialize, responseDeserialize } = definitionOf('worker', 'work');
    const channel = this.#open();
    const done = channel.use();
    const none: GrpcCallOptions = {};
    const call = channel.client.makeBidiStreamRequest(
      path,
      requestSerialize,
      responseDeserialize,
      metadata,
      none,
    );
    const cancel = () => call.cancel();
    this.#running.add(cancel);
    return new GrpcWorkStream(call, events, this.target, () => {
      done();
      this.#running.delete(cancel);
    });
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    for (const cancel of this.#running) cancel();
    this.#channel.retire();
  }

  #open(): GrpcChannel {
    if (!this.#closed) return this.#channel;
    throw errorOf(`the connection to ${this.target} is closed`, {
      code: 'CANCELLED',
      reason: 'CONNECTION_CLOSED',
    });
  }

  /** From now on calls go over a connection of their own; what runs on the old one stays there. */
  #renew(): void {
    const old = this.#channel;
    this.#channel = new GrpcChannel(this.#settings);
    old.retire();
  }
}
