import { type ClientHttp2Session, connect } from 'node:http2';
import { Metadata, type StatusObject } from '@grpc/grpc-js';
import { framed } from '../silent-client.js';
import { type Failure, failureFrom } from './failure.js';
import { METHODS } from './wire.js';

/** A client whose calls have passed their deadline when they arrive: grpc-js would not even send them. */
export class LateClient {
  readonly #session: ClientHttp2Session;

  constructor(address: string) {
    this.#session = connect(`http://${address}`);
    this.#session.on('error', () => undefined);
  }

  /** Calls with one message and a nanosecond to live. */
  call(rpc: string, request: Uint8Array): Promise<Failure> {
    const method = METHODS.get(rpc);
    const stream = this.#session.request({
      ':method': 'POST',
      ':path': `/${method?.parent.typeName}/${rpc}`,
      'content-type': 'application/grpc',
      'grpc-timeout': '1n',
      te: 'trailers',
    });
    stream.on('error', () => undefined);
    return new Promise((resolve, reject) => {
      const take = (headers: Record<string, unknown>) => {
        if (headers['grpc-status'] === undefined) return;
        resolve(failureFrom(statusOf(headers)));
      };
      stream.on('response', take);
      stream.on('trailers', take);
      stream.on('close', () => reject(new Error(`${rpc} ended without a status`)));
      stream.resume();
      stream.end(framed(request));
    });
  }

  close(): void {
    this.#session.destroy();
  }
}

function statusOf(headers: Record<string, unknown>): StatusObject {
  const metadata = new Metadata();
  for (const name of ['grpc-status-details-bin', 'grpc-retry-pushback-ms']) {
    const value = headers[name];
    if (typeof value !== 'string') continue;
    metadata.set(name, name.endsWith('-bin') ? Buffer.from(value, 'base64') : value);
  }
  const details = decodeURIComponent(String(headers['grpc-message'] ?? ''));
  return { code: Number(headers['grpc-status']), details, metadata };
}
