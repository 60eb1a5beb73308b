import { type ClientHttp2Session, connect, constants, createServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { http2Proxy } from '../src/faults/http2-proxy.js';
import { collect } from '../src/signals/collect.js';
import { signal } from '../src/signals/signal.js';

/** A server that echoes each stream and ends it with trailers. */
const server = createServer();
server.on('stream', (stream) => {
  stream.on('error', () => {});
  stream.respond({ ':status': 200 }, { waitForTrailers: true });
  stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
  stream.pipe(stream);
});
const port = () => (server.address() as AddressInfo).port;
beforeAll(() => new Promise<void>((done) => server.listen(0, '127.0.0.1', done)));
afterAll(() => new Promise<void>((done) => void server.close(() => done())));

async function through() {
  const proxy = await http2Proxy(port());
  const session = connect(`http://127.0.0.1:${proxy.port}`);
  session.on('error', () => {});
  onTestFinished(async () => {
    session.destroy();
    await proxy.stop();
  });
  return { proxy, session };
}

function open(session: ClientHttp2Session, path: string) {
  const stream = session.request({ ':path': path, ':method': 'POST' });
  const data = collect<string>('data');
  const trailers = signal<string>('the trailers');
  const closed = signal<number>('the end');
  stream.on('data', (bytes: Buffer) => data.push(bytes.toString()));
  stream.on('trailers', (headers) => trailers.resolve(String(headers['grpc-status'])));
  stream.on('error', () => {});
  stream.on('close', () => closed.resolve(stream.rstCode));
  return { stream, data, trailers, closed };
}

describe('http2Proxy', () => {
  it('passes data and trailers', async () => {
    const { proxy, session } = await through();
    const { stream, data, trailers } = open(session, '/a');
    stream.end('hello');
    expect(await data.waitFor(1)).toEqual(['hello']);
    expect(await trailers.wait()).toBe('0');
    expect(proxy.count('/a')).toBe(1);
  });

  it('holds one stream while others pass, and loses nothing of it', async () => {
    const { proxy, session } = await through();
    proxy.onStream = (stream) => {
      if (stream.path === '/held') stream.hold('toClient');
    };
    const held = open(session, '/held');
    held.stream.write('one');
    const free = open(session, '/free');
    free.stream.write('two');
    expect(await free.data.waitFor(1)).toEqual(['two']);
    expect(held.data.items).toEqual([]);
    proxy.streams.find(({ path }) => path === '/held')?.release();
    expect(await held.data.waitFor(1)).toEqual(['one']);
    held.stream.end();
    free.stream.end();
  });

  it('resets one stream, fails another, and the connection stays', async () => {
    const { proxy, session } = await through();
    const [one, two] = [open(session, '/one'), open(session, '/two')];
    one.stream.write('1');
    two.stream.write('2');
    await Promise.all([one.data.waitFor(1), two.data.waitFor(1)]);
    const [first, second] = proxy.streams;
    first?.reset(constants.NGHTTP2_INTERNAL_ERROR);
    expect(await one.closed.wait()).toBe(constants.NGHTTP2_INTERNAL_ERROR);
    second?.fail(14, 'gone');
    expect(await two.trailers.wait()).toBe('14');
    const three = open(session, '/three');
    three.stream.end('3');
    expect(await three.data.waitFor(1)).toEqual(['3']);
  });

  it('cuts what is silent for too long', async () => {
    const { proxy, session } = await through();
    proxy.idleLimitMs = 50;
    const silent = open(session, '/silent');
    silent.stream.write('1');
    expect(await silent.closed.wait()).toBe(constants.NGHTTP2_CANCEL);
    expect(proxy.streams).toEqual([]);
  });

  it('says GOAWAY', async () => {
    const { proxy, session } = await through();
    const told = signal('GOAWAY');
    session.on('goaway', () => told.resolve());
    const { stream, data } = open(session, '/a');
    stream.write('1');
    await data.waitFor(1);
    proxy.goAway();
    await told.wait();
    stream.destroy();
  });
});
