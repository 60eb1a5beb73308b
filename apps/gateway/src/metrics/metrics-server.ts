import { createHash, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { MetricsConfig } from '../gateway-config.js';
import type { GatewayMetrics } from './gateway-metrics.js';

/** What is read in one go; a scraper sends a line and a few headers. */
const LIMITS = { maxHeaderSize: 8_192, requestTimeout: 5_000, headersTimeout: 5_000 };
const MAX_CONNECTIONS = 64;

/**
 * The metrics over HTTP: `/metrics` for Prometheus, `/scaling` as JSON; `/livez` and `/readyz` for probes. Nothing can be
 * changed there.
 */
export class MetricsServer {
  readonly #server: Server;

  private constructor(
    private readonly metrics: GatewayMetrics,
    private readonly tokenFile: string | undefined,
  ) {
    this.#server = createServer({ ...LIMITS, keepAliveTimeout: 5_000 }, (request, response) => {
      this.#answer(request, response).catch(() => {
        if (!response.headersSent) send(response, { status: 500, body: 'failed\n' });
      });
    });
    this.#server.maxConnections = MAX_CONNECTIONS;
  }

  /** Serves. @throws Error when it cannot listen, or the file of the token cannot be read or is empty */
  static async listen(
    metrics: GatewayMetrics,
    { listen, tokenFile }: Pick<MetricsConfig, 'listen' | 'tokenFile'>,
  ): Promise<MetricsServer> {
    const served = new MetricsServer(metrics, tokenFile);
    if (tokenFile !== undefined) readToken(tokenFile);
    await new Promise<void>((resolve, reject) => {
      served.#server.once('error', reject);
      served.#server.listen(listen.port, listen.host, () => {
        served.#server.off('error', reject);
        resolve();
      });
    });
    return served;
  }

  /** `host:port` that it listens on. */
  get address(): string {
    const { address, port } = this.#server.address() as AddressInfo;
    return `${address.includes(':') ? `[${address}]` : address}:${port}`;
  }

  /** Ends it; scrapes under way are cut. */
  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeAllConnections();
    await closed;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://gateway');
    // They tell no more than the health service does, which is open to all.
    if (pathname === '/livez') return send(response, { status: 200, body: 'ok\n' });
    if (pathname === '/readyz') {
      const { ready } = this.metrics;
      return send(response, { status: ready ? 200 : 503, body: ready ? 'ok\n' : 'not ready\n' });
    }
    if (!this.#mayRead(request)) {
      const headers = { 'www-authenticate': 'Bearer' };
      return send(response, { status: 401, body: 'a bearer token is needed\n', headers });
    }
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      return send(response, { status: 405, body: 'GET\n', headers: { allow: 'GET, HEAD' } });
    }
    if (pathname === '/metrics') {
      const { type, body } = await this.metrics.text();
      return send(response, { status: 200, body, headers: { 'content-type': type } });
    }
    if (pathname === '/scaling') return this.#scaling(response, searchParams);
    send(response, { status: 404, body: '/metrics and /scaling\n' });
  }

  /** All queues, or the one that is asked for. */
  async #scaling(response: ServerResponse, asked: URLSearchParams): Promise<void> {
    const [queue, namespace] = [asked.get('queue'), asked.get('namespace') ?? ''];
    const signals = await this.metrics.scaling();
    const one = signals.find((each) => each.queue === queue && each.namespace === namespace);
    const headers = { 'content-type': 'application/json' };
    const found = queue === null ? { queues: signals } : one;
    if (found) return send(response, { status: 200, body: JSON.stringify(found), headers });
    const error = 'not a queue that is shown: name it in metricsQueues';
    send(response, { status: 404, body: JSON.stringify({ error }), headers });
  }

  /** The file is read each time, so that a token can be replaced. */
  #mayRead({ headers }: IncomingMessage): boolean {
    if (this.tokenFile === undefined) return true;
    const [, given = ''] = /^Bearer (.+)$/i.exec(headers.authorization ?? '') ?? [];
    try {
      return timingSafeEqual(sha256(given), sha256(readToken(this.tokenFile)));
    } catch {
      return false;
    }
  }
}

/** @throws Error for a file that cannot be read, or is empty: nothing would be a token then */
function readToken(path: string): string {
  const token = readFileSync(path, 'utf8').trim();
  if (token === '') throw new Error(`${path}: holds no token`);
  return token;
}

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();

interface Answer {
  readonly status: number;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

function send(response: ServerResponse, { status, body, headers = {} }: Answer): void {
  response.writeHead(status, {
    'content-type': 'text/plain; charset=utf-8',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...headers,
  });
  response.end(body);
}
