import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  createServer,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { AddressInfo } from 'node:net';
import { track } from '../leaks/registry.js';
import type { Direction } from './tcp-proxy.js';

/** One stream that goes through the proxy. */
export interface ProxiedStream {
  /** The path of the call, for example `/echomq.v1.WorkerService/Work`. */
  readonly path: string;
  readonly open: boolean;
  /** Holds its data back; the connection and other streams go on. */
  hold(direction?: Direction): void;
  /** Lets it pass again, what was held first. */
  release(direction?: Direction): void;
  /** Ends it towards the client with an RST_STREAM of this code, and towards the server with CANCEL. */
  reset(code?: number): void;
  /** Ends it towards the client with a status of gRPC, as a server does that gives up. */
  fail(grpcStatus: number, message?: string): void;
}

/** An HTTP/2 hop without TLS that knows single streams. */
export interface Http2Proxy extends AsyncDisposable {
  readonly port: number;
  /** The streams that are open, oldest first. */
  readonly streams: readonly ProxiedStream[];
  /** How many have come on a path since it started. */
  count(path: string): number;
  /** Called with each new stream before anything of it has passed. */
  onStream: ((stream: ProxiedStream) => void) | undefined;
  /** Sends GOAWAY to every client; open streams go on. */
  goAway(): void;
  /** Cuts what has been silent for so long, ms, with a reset; `undefined` ends that. */
  idleLimitMs: number | undefined;
  /** Breaks everything and stops listening. */
  stop(): Promise<void>;
}

/** Starts a proxy on a free loopback port before a server on another one. */
export async function http2Proxy(targetPort: number): Promise<Http2Proxy> {
  const sessions = new Map<ServerHttp2Session, ClientHttp2Session>();
  const streams = new Set<RelayedStream>();
  const counts = new Map<string, number>();
  const server = createServer();
  server.on('session', (session) => {
    const upstream = connect(`http://127.0.0.1:${targetPort}`);
    sessions.set(session, upstream);
    upstream.on('error', () => session.destroy());
    session.on('error', () => upstream.destroy());
    upstream.on('close', () => session.destroy());
    session.on('close', () => {
      upstream.destroy();
      sessions.delete(session);
    });
  });
  server.on('sessionError', () => {});
  server.on('stream', (client, headers) => {
    const upstream = client.session && sessions.get(client.session as ServerHttp2Session);
    if (!upstream || upstream.destroyed) return client.close(constants.NGHTTP2_REFUSED_STREAM);
    const path = String(headers[':path']);
    counts.set(path, (counts.get(path) ?? 0) + 1);
    const relayed = new RelayedStream(path, client, () => proxy.idleLimitMs);
    streams.add(relayed);
    client.on('close', () => streams.delete(relayed));
    proxy.onStream?.(relayed);
    relayed.relay(upstream.request(headers, { endStream: false }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const untrack = track(`http2 proxy on port ${port}`);
  const stop = async (): Promise<void> => {
    for (const stream of streams) stream.reset();
    for (const [session, upstream] of sessions) {
      session.destroy();
      upstream.destroy();
    }
    await new Promise<void>((resolve) => server.close(() => resolve()));
    untrack();
  };
  const proxy: Http2Proxy = {
    port,
    get streams() {
      return [...streams];
    },
    count: (path) => counts.get(path) ?? 0,
    onStream: undefined,
    goAway: () => {
      for (const session of sessions.keys()) session.goaway();
    },
    idleLimitMs: undefined,
    stop,
    [Symbol.asyncDispose]: stop,
  };
  return proxy;
}

/** Copies the data of one stream both ways, as its directions allow. */
class RelayedStream implements ProxiedStream {
  readonly #held = { toServer: false, toClient: false };
  #upstream: ClientHttp2Stream | undefined;
  #idle: NodeJS.Timeout | undefined;
  /** The proxy ends the stream itself: what the server says no longer counts. */
  #left = false;

  constructor(
    readonly path: string,
    private readonly client: ServerHttp2Stream,
    private readonly idleLimitMs: () => number | undefined,
  ) {
    client.on('error', () => {});
  }

  get open(): boolean {
    return !this.client.closed && !this.client.destroyed;
  }

  relay(upstream: ClientHttp2Stream): void {
    this.#upstream = upstream;
    upstream.on('error', () => {});
    const { client } = this;
    client.on('data', (data: Buffer) => {
      this.#alive();
      upstream.write(data);
    });
    client.on('end', () => upstream.end());
    client.on('close', () => {
      clearTimeout(this.#idle);
      upstream.close(constants.NGHTTP2_CANCEL);
    });
    upstream.on('response', (headers, flags) => {
      if (this.#over) return;
      const endStream = (flags & constants.NGHTTP2_FLAG_END_STREAM) !== 0;
      client.respond(plain(headers), { endStream, waitForTrailers: !endStream });
    });
    let trailers: IncomingHttpHeaders = {};
    upstream.on('trailers', (headers) => {
      trailers = headers;
    });
    client.on('wantTrailers', () => client.sendTrailers(plain(trailers)));
    upstream.on('data', (data: Buffer) => {
      this.#alive();
      if (!this.#over) client.write(data);
    });
    upstream.on('end', () => {
      if (!this.#over) client.end();
    });
    upstream.on('close', () => {
      if (upstream.rstCode !== constants.NGHTTP2_NO_ERROR && !this.#over) {
        client.close(upstream.rstCode);
      }
    });
    this.#move();
    this.#alive();
  }

  hold(direction: Direction = 'both'): void {
    this.#set(direction, true);
  }

  release(direction: Direction = 'both'): void {
    this.#set(direction, false);
  }

  reset(code: number = constants.NGHTTP2_CANCEL): void {
    this.#left = true;
    clearTimeout(this.#idle);
    this.#upstream?.close(constants.NGHTTP2_CANCEL);
    if (this.open) this.client.close(code);
  }

  fail(grpcStatus: number, message = ''): void {
    this.#left = true;
    const trailers = { 'grpc-status': `${grpcStatus}`, 'grpc-message': message };
    this.client.removeAllListeners('wantTrailers');
    this.client.on('wantTrailers', () => this.client.sendTrailers(trailers));
    if (!this.client.headersSent) {
      const headers = { ':status': 200, 'content-type': 'application/grpc' };
      this.client.respond(headers, { waitForTrailers: true });
    }
    this.#upstream?.close(constants.NGHTTP2_CANCEL);
    this.client.end();
  }

  get #over(): boolean {
    return this.#left || !this.open;
  }

  #set(direction: Direction, held: boolean): void {
    if (direction !== 'toClient') this.#held.toServer = held;
    if (direction !== 'toServer') this.#held.toClient = held;
    this.#move();
  }

  /** What is not read is held back by HTTP/2's own flow control. */
  #move(): void {
    if (this.#held.toServer) this.client.pause();
    else this.client.resume();
    if (this.#held.toClient) this.#upstream?.pause();
    else this.#upstream?.resume();
  }

  #alive(): void {
    clearTimeout(this.#idle);
    const limit = this.idleLimitMs();
    if (limit !== undefined) this.#idle = setTimeout(() => this.reset(), limit);
  }
}

/** Headers without what belongs to a connection. */
function plain(headers: IncomingHttpHeaders): Record<string, string | string[]> {
  const kept = Object.entries(headers).filter(
    ([name, value]) => value !== undefined && !(name.startsWith(':') && name !== ':status'),
  );
  return Object.fromEntries(kept) as Record<string, string | string[]>;
}
