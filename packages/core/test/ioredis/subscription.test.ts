import { collect, privateRedis, startCluster, useStarted } from '@echomq/testkit';
import { expect, it } from 'vitest';
import { connectRedis } from '../../src/ioredis/index.js';
import type { ChannelListener, RedisClient } from '../../src/redis-client.js';

/** Listens to `a:*` and notes what it hears. */
function listen(client: RedisClient) {
  const heard = collect<string>('messages');
  const listening = collect<void>('beginnings');
  const failures = collect<string>('failures');
  const listener: ChannelListener = {
    onMessage: (channel, message) => heard.push(`${channel} ${message}`),
    onListening: () => listening.push(),
    onFailure: (error) => failures.push(String(error)),
  };
  const stop = client.subscribe?.('a:*', listener);
  if (!stop) throw new Error('it cannot listen');
  return { heard, listening, failures, stop };
}

it('hears what is published, also after its link broke', async () => {
  await using server = await privateRedis();
  const client = connectRedis({ url: server.url });
  const { heard, listening, stop } = listen(client);
  await listening.waitFor(1);
  const admin = server.connect();
  await admin.publish('b:x', 'no');
  await admin.publish('a:x', 'one');
  await heard.waitFor(1);
  await admin.call('CLIENT', 'KILL', 'TYPE', 'pubsub');
  await listening.waitFor(2);
  await admin.publish('a:y', 'two');
  expect(await heard.waitFor(2)).toEqual(['a:x one', 'a:y two']);
  await stop();
  await expect.poll(() => admin.pubsub('NUMPAT')).toBe(0);
  await client.close();
});

it('says that it may not listen, and tries again', async () => {
  await using server = await privateRedis();
  const admin = server.connect();
  await admin.call('ACL', 'SETUSER', 'deaf', 'on', '>pw', '~*', '+@all', 'resetchannels');
  const client = connectRedis({ url: server.url, username: 'deaf', password: 'pw' });
  const { listening, failures, stop } = listen(client);
  const [first] = await failures.waitFor(2);
  expect(first).toContain('NOPERM');
  await admin.call('ACL', 'SETUSER', 'deaf', '&a:*');
  await listening.waitFor(1);
  await stop();
  await client.close();
});

const cluster = useStarted(() => startCluster(3));

it('hears what any node of a cluster publishes', async () => {
  const hosts = cluster.value.urls.map((node) => node.replace('redis://', ''));
  const client = connectRedis({ url: `redis+cluster://${hosts.join(',')}` });
  const { heard, listening, stop } = listen(client);
  await listening.waitFor(1);
  await client.whenReady(AbortSignal.timeout(10_000));
  await client.eachPrimary('PUBLISH', ['a:x', 'm']);
  expect(await heard.waitFor(3)).toEqual(['a:x m', 'a:x m', 'a:x m']);
  await stop();
  await client.close();
});

it('that may listen no longer, once its link is gone, says so, and tries again', async () => {
  await using server = await privateRedis();
  const admin = server.connect();
  await admin.call('ACL', 'SETUSER', 'ears', 'on', '>pw', '~*', '+@all', 'resetchannels', '&a:*');
  const client = connectRedis({ url: server.url, username: 'ears', password: 'pw' });
  const { listening, failures, stop } = listen(client);
  await listening.waitFor(1);
  // The server cuts the link of whoever listens to what it may not hear.
  await admin.call('ACL', 'SETUSER', 'ears', 'resetchannels');
  const [first] = await failures.waitFor(2);
  expect(first).toContain('NOPERM');
  await admin.call('ACL', 'SETUSER', 'ears', '&a:*');
  await listening.waitFor(2);
  await stop();
  await client.close();
});
