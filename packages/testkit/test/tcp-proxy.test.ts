import { once } from 'node:events';
import { type AddressInfo, createConnection, createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { tcpProxy } from '../src/faults/tcp-proxy.js';
import { useRedis } from '../src/servers/use-redis.js';
import { eventually } from '../src/signals/eventually.js';

const redis = useRedis();

/** A proxy before the file's server, and clients that go through it and do not reconnect. */
async function through() {
  const proxy = await tcpProxy({ path: redis.server.socketPath ?? '' });
  const connect = () =>
    redis.connect({ port: proxy.port, host: '127.0.0.1', retryStrategy: () => null });
  return { proxy, connect };
}

describe('tcpProxy', () => {
  it('passes bytes both ways', async () => {
    const { proxy, connect } = await through();
    await using _ = proxy;
    expect(await connect().echo('x'.repeat(200_000))).toHaveLength(200_000);
    expect([proxy.connections, proxy.accepted]).toEqual([1, 1]);
  });

  it('cuts what is there and lets new ones through', async () => {
    const { proxy, connect } = await through();
    await using _ = proxy;
    const one = connect();
    await one.ping();
    const blocked = one.blpop('nothing', 0);
    proxy.cut();
    await expect(blocked).rejects.toThrow(/closed/i);
    expect(await connect().ping()).toBe('PONG');
    await eventually(() => expect(proxy.connections).toBe(1));
  });

  it.each([0, 1, 3, 5])('closes after %i more bytes, which arrive', async (bytes) => {
    const echo = createServer((socket) => socket.on('error', () => {}).pipe(socket)).listen(0);
    await once(echo, 'listening');
    await using proxy = await tcpProxy((echo.address() as AddressInfo).port);
    proxy.cutAfter(bytes, 'toClient');
    const socket = createConnection(proxy.port, '127.0.0.1').on('error', () => {});
    let received = '';
    socket.on('data', (data) => {
      received += data;
    });
    socket.write('hello');
    await once(socket, 'close');
    expect(received).toBe('hello'.slice(0, bytes));
    echo.close();
  });

  it('refuses and accepts again', async () => {
    const { proxy, connect } = await through();
    await using _ = proxy;
    const stays = connect();
    await stays.ping();
    proxy.refuse();
    await expect(connect().ping()).rejects.toThrow();
    expect(await stays.ping()).toBe('PONG');
    await proxy.accept();
    expect(await connect().ping()).toBe('PONG');
    expect(proxy.accepted).toBe(2);
  });

  it('holds one direction and loses nothing', async () => {
    const { proxy, connect } = await through();
    await using _ = proxy;
    const client = connect();
    await client.ping();
    const key = redis.freshQueue().key('id');
    proxy.pause('toClient');
    let answered = false;
    const answer = client.incr(key).then((value) => {
      answered = true;
      return value;
    });
    // It has reached the server, and its answer has not come back.
    await eventually(async () => expect(await redis.client.get(key)).toBe('1'));
    expect(answered).toBe(false);
    proxy.resume();
    expect(await answer).toBe(1);

    proxy.pause('toServer');
    const second = client.incr(key);
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(await redis.client.get(key)).toBe('1');
    proxy.resume();
    expect(await second).toBe(2);
  });

  it('swallows a reply', async () => {
    const { proxy, connect } = await through();
    await using _ = proxy;
    const client = connect();
    await client.ping();
    const key = redis.freshQueue().key('id');
    proxy.swallow('toClient');
    const lost = client.incr(key).catch((error: Error) => error.message);
    await eventually(async () => expect(await redis.client.get(key)).toBe('1'));
    proxy.resume();
    proxy.cut();
    expect(await lost).toMatch(/closed/i);
  });

  it('delays each piece', async () => {
    const { proxy, connect } = await through();
    await using _ = proxy;
    const client = connect();
    await client.ping();
    proxy.delay(40);
    const from = performance.now();
    expect(await client.ping()).toBe('PONG');
    expect(performance.now() - from).toBeGreaterThanOrEqual(75);
    proxy.delay(0);
    expect(await client.ping()).toBe('PONG');
  });

  it('breaks a client whose server is not there', async () => {
    await using proxy = await tcpProxy({ path: '/absent/redis.sock' });
    const client = redis.connect({
      port: proxy.port,
      host: '127.0.0.1',
      retryStrategy: () => null,
    });
    await expect(client.ping()).rejects.toThrow(/closed/i);
    await eventually(() => expect(proxy.connections).toBe(0));
  });
});
