import { SCRIPTS } from '@echomq/lua';
import type { Redis } from 'ioredis';
import { describe, expect, it } from 'vitest';
import { addStandardJob, ContractBroken, getCounts, pause, Store } from '../src/index.js';
import { NOW, useStore } from './use-store.js';

const used = useStore();
const JOB = { name: 'send', data: '1', opts: '{}', timestamp: NOW };

/** How often each script command was called since the counters were reset. */
async function callsOf(client: Redis): Promise<Record<string, number>> {
  const info = await client.info('commandstats');
  const calls = [...info.matchAll(/cmdstat_(eval|evalsha|script\|load|multi):calls=(\d+)/g)];
  return Object.fromEntries(calls.map(([, name, count]) => [name, Number(count)]));
}

async function fresh(): Promise<Redis> {
  await used.redis.client.script('FLUSH');
  await used.redis.client.config('RESETSTAT');
  return used.redis.client;
}

describe('Store', () => {
  it('brings a body once, however many ask for it at the same time', async () => {
    const client = await fresh();
    const queue = used.queue();
    await Promise.all(
      Array.from({ length: 100 }, () => addStandardJob(used.store, queue.keys, JOB)),
    );
    expect(await callsOf(client)).toMatchObject({ eval: 1, evalsha: 199 });
    expect((await queue.read()).wait).toHaveLength(100);
    expect((await queue.read()).id).toBe('100');
  });

  it('keeps the order of the calls of one script while its body comes', async () => {
    await fresh();
    const queue = used.queue();
    const names = Array.from({ length: 60 }, (_, at) => `n${at}`);
    const calls: Promise<unknown>[] = [];
    for (const [at, name] of names.entries()) {
      calls.push(addStandardJob(used.store, queue.keys, { ...JOB, name }));
      // Some come in the same turn, some while the body is under way, some just as it has arrived.
      if (at % 3 === 0) await new Promise((resolve) => setImmediate(resolve));
      if (at % 7 === 0) await Promise.race([calls[0], Promise.resolve()]);
    }
    await Promise.all(calls);
    const { events } = await queue.read();
    const added = (events as Record<string, string>[]).filter(({ event }) => event === 'added');
    expect(added.map(({ name }) => name)).toEqual(names);
  });

  it('brings each of several bodies once', async () => {
    const client = await fresh();
    const queue = used.queue();
    await Promise.all(
      Array.from({ length: 30 }, (_, at) => [
        addStandardJob(used.store, queue.keys, JOB),
        getCounts(used.store, queue.keys),
        at === 0 ? pause(used.store, queue.keys) : undefined,
      ]).flat(),
    );
    expect(await callsOf(client)).toMatchObject({ eval: 3 });
  });

  it('sends one EVALSHA and nothing else once the server knows the script', async () => {
    const client = await fresh();
    const queue = used.queue();
    await addStandardJob(used.store, queue.keys, JOB);
    await client.config('RESETSTAT');
    for (let i = 0; i < 10; i++) await addStandardJob(used.store, queue.keys, JOB);
    expect(await callsOf(client)).toEqual({ evalsha: 10 });
  });

  it('T033 script cache lost: loses no call and runs none twice while the scripts are flushed again and again', async () => {
    const client = await fresh();
    const queue = used.queue();
    let done = false;
    let flushes = 0;
    const flushing = (async () => {
      while (!done) {
        await client.script('FLUSH');
        flushes += 1;
      }
    })();
    for (let round = 0; round < 20; round++) {
      const added = await Promise.all(
        Array.from({ length: 50 }, () => addStandardJob(used.store, queue.keys, JOB)),
      );
      expect(new Set(added.map(({ jobId }) => jobId)).size).toBe(50);
    }
    done = true;
    await flushing;
    expect(flushes).toBeGreaterThan(20);
    const { wait, id } = await queue.read();
    expect([wait?.length, id]).toEqual([1_000, '1000']);
  });

  it('passes an error of the body on to its caller alone', async () => {
    await fresh();
    const queue = used.queue();
    await queue.seed({ wait: 'no list' });
    const calls = Array.from({ length: 3 }, () => addStandardJob(used.store, queue.keys, JOB));
    const outcomes = await Promise.allSettled(calls);
    for (const outcome of outcomes) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: { name: 'ContractBroken' } });
    }
    const sound = used.queue();
    expect(await addStandardJob(used.store, sound.keys, JOB)).toMatchObject({ outcome: 'created' });
  });

  it('sends a plain command, with the same errors', async () => {
    const queue = used.queue();
    await queue.seed({ wait: ['1'] });
    expect(await used.store.command('LLEN', [queue.key('wait')])).toBe(1);
    const wrong = used.store.command('HGETALL', [queue.key('wait')]);
    await expect(wrong).rejects.toBeInstanceOf(ContractBroken);
    await expect(wrong).rejects.toMatchObject({ code: 'INTERNAL', message: 'HGETALL failed' });
  });

  it('counts a flight per node', async () => {
    const sent: string[] = [];
    let node = 'a';
    const redis = {
      ...used.store.redis,
      nodeOf: () => node,
      send: async (command: string) => {
        sent.push(`${command} ${node}`);
        if (command === 'EVALSHA') throw new Error('NOSCRIPT No matching script');
        return new Promise<null>((resolve) => setImmediate(() => resolve(null)));
      },
    } as unknown as Store['redis'];
    const store = new Store(redis);
    const { keys } = used.queue();
    const first = store.run(SCRIPTS.pause, keys, {});
    await new Promise(setImmediate);
    node = 'b';
    await Promise.all([first, store.run(SCRIPTS.pause, keys, {})]);
    expect(sent.filter((line) => line.startsWith('EVAL '))).toEqual(['EVAL a', 'EVAL b']);
  });
});
