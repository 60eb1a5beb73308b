import { type ClientHttp2Stream, connect, type IncomingHttpHeaders } from 'node:http2';
import { Metadata, type ServiceError } from '@grpc/grpc-js';
import { onTestFinished } from 'vitest';

/**
 * A call whose client never reads: HTTP/2 alone, because grpc-js takes in everything until its first read. It lives as
 * long as the running test.
 */
export function silentStream(address: string, path: string): ClientHttp2Stream {
  const session = connect(`http://${address}`);
  session.on('error', () => undefined);
  onTestFinished(() => session.destroy());
  const stream = session.request({
    ':method': 'POST',
    ':path': path,
    'content-type': 'application/grpc',
    te: 'trailers',
  });
  stream.on('error', () => undefined);
  return stream;
}

/** Begins to read, and resolves with the error that the server has ended the stream with. */
export async function readToItsEnd(stream: ClientHttp2Stream): Promise<ServiceError> {
  stream.resume();
  const trailers = await new Promise<IncomingHttpHeaders>((resolve) => {
    stream.on('trailers', resolve);
  });
  const metadata = Metadata.fromHttp2Headers(trailers);
  const details = decodeURIComponent(String(trailers['grpc-message']));
  const code = Number(trailers['grpc-status']);
  return Object.assign(new Error(details), { code, details, metadata });
}

/** A message as gRPC puts it on a stream. */
export function framed(message: Uint8Array): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.byteLength, 1);
  return Buffer.concat([head, message]);
}
