import {
  type ClientHttp2Session,
  connect,
  createServer,
  type Http2Server,
  type ServerHttp2Stream,
} from 'node:http2';
import type { AddressInfo } from 'node:net';
import { collect, eventually, tcpProxy } from '@echomq/testkit';
import { expect, it, onTestFinished } from 'vitest';
import { watchDelivery } from '../src/binding/delivery-acks.js';

/** A server that watches each of its answers, behind a hop that can go wrong. */
async function watching() {
  const lost = collect<string>('lost answers');
  const server: Http2Server = createServer();
  server.on('stream', (stream: ServerHttp2Stream, headers) => {
    stream.on('error', () => {});
    const delivered = watchDelivery({ call: { nextCall: { stream } } });
    stream.on('close', () => delivered(() => lost.push(String(headers[':path']))));
    stream.respond({ ':status': 200 });
    stream.end('answer');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
  });
  const proxy = await tcpProxy((server.address() as AddressInfo).port);
  onTestFinished(() => proxy.stop());
  const session = connect(`http://127.0.0.1:${proxy.port}`);
  session.on('error', () => {});
  onTestFinished(() => session.destroy());
  return { lost, proxy, session };
}

/** One call; resolves when its answer is whole. */
function ask(session: ClientHttp2Session, path: string): Promise<void> {
  const stream = session.request({ ':path': path });
  stream.resume();
  return new Promise((resolve, reject) => {
    stream.on('end', resolve);
    stream.on('error', reject);
  });
}

it('answers that have arrived are not lost, however the connection ends', async () => {
  const { lost, proxy, session } = await watching();
  await Promise.all(Array.from({ length: 50 }, (_, at) => ask(session, `/${at}`)));
  // The acknowledgement of the last ping is on its way before this is answered.
  await new Promise<void>((resolve) => session.ping(() => resolve()));
  await ask(session, '/last');
  await new Promise<void>((resolve) => session.ping(() => resolve()));
  await new Promise((resolve) => setTimeout(resolve, 50));
  proxy.cut();
  await eventually(() => expect(session.destroyed).toBe(true));
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(lost.items).toEqual([]);
});

it('answers behind which the connection breaks are lost, each once', async () => {
  const { lost, proxy, session } = await watching();
  await ask(session, '/before');
  await new Promise<void>((resolve) => session.ping(() => resolve()));
  await new Promise((resolve) => setTimeout(resolve, 50));
  proxy.swallow('toClient');
  for (const path of ['/one', '/two']) ask(session, path).catch(() => {});
  await new Promise((resolve) => setTimeout(resolve, 100));
  proxy.cut();
  await lost.waitFor(2);
  expect([...lost.items].sort()).toEqual(['/one', '/two']);
});

it('a call of which nothing is known below has its answers delivered', () => {
  watchDelivery({})(() => expect.unreachable());
  watchDelivery(undefined)(() => expect.unreachable());
});
