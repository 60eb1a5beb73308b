import { describe, expect, it } from 'vitest';
import { globEscape } from '../src/queues/keys-of.js';
import { read } from '../src/queues/read.js';
import { strayKeys } from '../src/queues/stray-keys.js';
import { useRedis } from '../src/servers/use-redis.js';

const redis = useRedis();

describe('read', () => {
  it('gives every key of the queue in the shape of its type', async () => {
    const queue = redis.freshQueue();
    const { client } = redis;
    await client.rpush(queue.key('wait'), '2', '1');
    await client.sadd(queue.key('stalled'), 'b', 'c', 'a');
    await client.zadd(queue.key('delayed'), 1_700_000_000_123 * 4096 + 7, '9', 1.5, '8', 1.5, '7');
    await client.hset(queue.key('meta'), { 'opts.maxLenEvents': '10000', version: 'x' });
    await client.set(queue.key('1:lock'), 'token');
    await client.xadd(queue.key('events'), '*', 'event', 'added', 'jobId', '1');
    await client.xadd(queue.key('events'), '*', 'event', 'waiting', 'jobId', '1');

    expect(await queue.read()).toEqual({
      wait: ['2', '1'],
      stalled: ['a', 'b', 'c'],
      delayed: [
        ['7', 1.5],
        ['8', 1.5],
        ['9', 1_700_000_000_123 * 4096 + 7],
      ],
      meta: { 'opts.maxLenEvents': '10000', version: 'x' },
      '1:lock': 'token',
      events: [
        { event: 'added', jobId: '1' },
        { event: 'waiting', jobId: '1' },
      ],
    });
    expect(await queue.readAtOnce()).toEqual(await queue.read());
  });

  it('gives nothing of an empty queue and nothing of its neighbours', async () => {
    const queue = redis.freshQueue();
    await redis.client.set(`${queue.prefix}:${queue.name}x:wait`, 'another queue');
    await redis.client.set(`${queue.prefix}:${queue.name}`, 'no part of it');
    expect(await queue.read()).toEqual({});
  });

  it.each(['a*', 'a?', '[ab]', 'a\\', '{tag}', 'żółw'])(
    'takes the name %s as it is',
    async (name) => {
      const queue = redis.freshQueue({ name });
      const lookalike = redis.freshQueue({ name: name.replace(/[*?]/, 'zz').replace('[ab]', 'a') });
      await redis.client.set(queue.key('id'), '1');
      if (lookalike.name !== name) await redis.client.set(lookalike.key('id'), '2');
      expect(await queue.read()).toEqual({ id: '1' });
    },
  );

  it('finds all of many keys', async () => {
    const queue = redis.freshQueue();
    const batch = redis.client.pipeline();
    for (let id = 0; id < 3_000; id += 1) batch.hset(queue.key(`${id}`), 'name', `n${id}`);
    await batch.exec();
    const dump = await queue.read();
    expect(Object.keys(dump)).toHaveLength(3_000);
    expect(dump['2999']).toEqual({ name: 'n2999' });
  });

  it('keeps bytes that are no text, where asked', async () => {
    const queue = redis.freshQueue();
    await redis.client.set(queue.key('id'), Buffer.from([0xff, 0x00, 0x80]));
    expect(await read(redis.client, queue, { encoding: 'latin1' })).toEqual({ id: '\xff\x00\x80' });
  });

  it('reads the same with a client that speaks RESP2', async () => {
    const queue = redis.freshQueue();
    await queue.seed({ delayed: { 1: 7e15 }, meta: { paused: 1 } });
    const resp2 = redis.connect({ protocol: 2 });
    expect(await read(resp2, queue)).toEqual(await queue.read());
  });
});

describe('strayKeys', () => {
  it('names the keys that belong to no queue', async () => {
    const here = redis.freshQueue();
    const there = redis.freshQueue();
    const before = await strayKeys(redis.client, here, there);
    await redis.client.set(here.key('id'), '1');
    await redis.client.set(there.key('id'), '1');
    await redis.client.set('lost', '1');
    const after = await strayKeys(redis.client, here, there);
    expect(after.filter((key) => !before.includes(key))).toEqual(['lost']);
  });
});

describe('globEscape', () => {
  it('escapes what SCAN would expand', () => {
    expect(globEscape('a*b?[c]\\{d}')).toBe('a\\*b\\?\\[c\\]\\\\{d}');
  });
});
