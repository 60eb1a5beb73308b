import { type ClientHttp2Session, connect, type IncomingHttpHeaders } from 'node:http2';
import { connect as tcp } from 'node:net';
import { gzipSync } from 'node:zlib';
import { signal, useRedis, withLimit } from '@echomq/testkit';
import { status } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Stand } from './errors/stand.js';
import { framed } from './silent-client.js';

/** Bytes that no gRPC library sends: what answers them is the transport, below every handler. */
const redis = useRedis();
let stand: Stand;
let session: ClientHttp2Session;
beforeAll(async () => {
  stand = await Stand.start(redis);
  session = connect(`http://${stand.gateway.address}`);
});
afterAll(async () => {
  session.destroy();
  await stand.close();
});

const INFO = '/echomq.v1.GatewayService/GetServerInfo';
const WORK = '/echomq.v1.WorkerService/Work';
const EMPTY = framed(new Uint8Array());
/** What unpacks to fifty times the largest message. */
const BOMB = Buffer.concat([
  Buffer.from([1]),
  framed(gzipSync(Buffer.alloc(200 << 20))).subarray(1),
]);

interface Sent {
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly bytes: Uint8Array;
}

/** Sends bytes as a call, all on one connection, and resolves with its HTTP status and its gRPC status and message. */
async function answerTo({ path = INFO, headers = {}, bytes }: Sent) {
  const stream = session.request({
    ...{ ':method': 'POST', ':path': path, 'content-type': 'application/grpc', te: 'trailers' },
    ...headers,
  });
  const answered = signal<[number | undefined, string | undefined, string]>('an answer');
  let http: number | undefined;
  const look = (found: IncomingHttpHeaders) => {
    http ??= Number(found[':status']);
    if (found['grpc-status'] === undefined && http === 200) return;
    const code = Number(found['grpc-status']);
    answered.resolve([http, status[code], decodeURIComponent(String(found['grpc-message']))]);
  };
  stream.on('response', look);
  stream.on('trailers', look);
  stream.on('error', () => undefined);
  stream.resume();
  if (path === WORK) stream.write(bytes);
  else stream.end(bytes);
  const answer = await withLimit(answered.wait(), 'an answer', 20_000);
  stream.close();
  return answer;
}

describe('bytes that no library sends', () => {
  it.each<[string, Sent, string]>([
    ['no message', { bytes: Buffer.alloc(0) }, 'UNIMPLEMENTED'],
    ['two messages', { bytes: Buffer.concat([EMPTY, EMPTY]) }, 'UNIMPLEMENTED'],
    ['half a head', { bytes: EMPTY.subarray(0, 2) }, 'UNIMPLEMENTED'],
    ['half a message', { bytes: Buffer.from([0, 0, 0, 0, 9, 1]) }, 'UNIMPLEMENTED'],
    ['a message of 4 GiB', { bytes: Buffer.from([0, 255, 255, 255, 255]) }, 'RESOURCE_EXHAUSTED'],
    ['a zip bomb', { headers: { 'grpc-encoding': 'gzip' }, bytes: BOMB }, 'RESOURCE_EXHAUSTED'],
    [
      'a zip bomb on a stream',
      { path: WORK, headers: { 'grpc-encoding': 'gzip' }, bytes: BOMB },
      'RESOURCE_EXHAUSTED',
    ],
    [
      'broken compression',
      { headers: { 'grpc-encoding': 'gzip' }, bytes: Buffer.from([1, 0, 0, 0, 1, 7]) },
      'INTERNAL',
    ],
    [
      'an unknown compression',
      { headers: { 'grpc-encoding': 'snappy' }, bytes: Buffer.from([1, 0, 0, 0, 0]) },
      'UNIMPLEMENTED',
    ],
    ['an unknown rpc', { path: `${INFO}s`, bytes: EMPTY }, 'UNIMPLEMENTED'],
    ['the path /__proto__', { path: '/__proto__', bytes: EMPTY }, 'UNIMPLEMENTED'],
    ['a timeout of words', { headers: { 'grpc-timeout': 'soon' }, bytes: EMPTY }, 'INTERNAL'],
    ['no time at all', { headers: { 'grpc-timeout': '0n' }, bytes: EMPTY }, 'DEADLINE_EXCEEDED'],
    ['a stream of an empty message', { path: WORK, bytes: EMPTY }, 'INVALID_ARGUMENT'],
    [
      'a stream of bytes that are no message',
      { path: WORK, bytes: framed(Buffer.from([255, 255])) },
      'INVALID_ARGUMENT',
    ],
  ])('%s: has its answer, and the connection serves on', async (_what, sent, expected) => {
    const before = process.memoryUsage().rss;
    const [http, code, message] = await answerTo(sent);
    expect([http, code]).toEqual([200, expected]);
    expect(message).not.toMatch(/node_modules|\bat \w+ \(|bull:/);
    // A bomb that went off would be 200 MiB.
    expect(process.memoryUsage().rss - before).toBeLessThan(100 << 20);
    expect((await answerTo({ bytes: EMPTY })).slice(0, 2)).toEqual([200, 'OK']);
  });

  it('another content type is refused by HTTP', async () => {
    const headers = { 'content-type': 'application/json' };
    expect((await answerTo({ headers, bytes: EMPTY }))[0]).toBe(415);
    expect((await answerTo({ bytes: EMPTY })).slice(0, 2)).toEqual([200, 'OK']);
  });

  it('HTTP/1.1 is hung up on', async () => {
    const [host = '', port] = stand.gateway.address.split(':');
    const socket = tcp({ host, port: Number(port) });
    const over = signal('the end of the connection');
    socket.on('close', () => over.resolve());
    socket.on('error', () => undefined);
    socket.resume();
    socket.write('GET / HTTP/1.1\r\nhost: here\r\n\r\n');
    await withLimit(over.wait(), 'the end of the connection', 10_000);
    expect((await answerTo({ bytes: EMPTY })).slice(0, 2)).toEqual([200, 'OK']);
  });
});
