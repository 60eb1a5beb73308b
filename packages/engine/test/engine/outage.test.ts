import { setTimeout as sleep } from 'node:timers/promises';
import type { RedisClient } from '@echomq/core';
import { connectRedis } from '@echomq/core/ioredis';
import { collect, type TcpProxy, tcpProxy, useRedis } from '@echomq/testkit';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Engine } from '../../src/engine.js';
import { type Handled, handleAll } from '../test-handler.js';
import { fetchOf, seconds, waiting } from '../use-engine.js';
import { patient, refused } from '../use-services.js';
import { openOf, openWork, subscriptionOf } from '../work-link.js';

const redis = useRedis();
let proxy: TcpProxy;
let client: RedisClient;
let engine: Engine;
const warnings = collect<string>('warnings');

beforeEach(async () => {
  proxy = await tcpProxy({ path: redis.server.socketPath ?? '' });
  client = connectRedis({ url: `redis://127.0.0.1:${proxy.port}`, commandTimeoutMs: 700 });
  const note = (event: string, facts: object) => {
    warnings.push(`${event} ${JSON.stringify(facts)}`);
  };
  engine = new Engine({
    redis: client,
    logger: { info: () => undefined, warn: note, error: note },
    sweep: { stalledIntervalMs: 1_000 },
  });
});

afterEach(async () => {
  await engine.close();
  await client.close();
  await proxy.stop();
});

const many = (count: number) => Array.from({ length: count }, (_, at) => `job-${at}`);

/** Waits until so many reports were acknowledged; a failure shows what was refused. */
const allDone = (handled: Handled, count: number) =>
  expect
    .poll(() => [handled.done(), handled.done() < count ? handled.refusals : []], {
      timeout: 18_000,
    })
    .toEqual([count, []]);

/** The books of a queue whose jobs should all be completed, each run counted once. */
async function books(queue: ReturnType<typeof redis.freshQueue>, ids: readonly string[]) {
  const state = await queue.read();
  const completed = (state.completed as [string, number][]).map(([id]) => id).sort();
  expect(completed).toEqual([...ids].sort());
  expect(state.wait ?? state.active ?? state.failed).toBeUndefined();
  const jobs = ids.map((id) => state[id] as Record<string, string>);
  expect(jobs.filter(({ stc, atm }) => stc !== undefined || atm !== '1')).toEqual([]);
}

describe('an engine without Redis', () => {
  test('starts, refuses at once with a reason, and works as soon as it is there', async () => {
    proxy.refuse();
    engine.start();
    const queue = redis.freshQueue();
    const worker = openWork(engine, openOf(queue));
    await worker.waitFor('opened');
    expect(engine.ready).toBe(false);
    const fetch = engine.services.worker.fetchJobs(fetchOf(queue, { wait: seconds(5) }), patient);
    expect(await refused(fetch)).toMatchObject({
      code: 'UNAVAILABLE',
      reason: 'BACKEND_UNAVAILABLE',
    });
    await queue.seed(waiting('1'));
    const changes = collect<boolean>('changes');
    engine.onReadyChange(changes.push);
    await proxy.accept();
    expect(await changes.waitFor(1)).toEqual([true]);
    await worker.waitFor('delivery');
  });

  test('is closed within its limit', async () => {
    engine.start();
    const queue = redis.freshQueue();
    await queue.seed(waiting('1'));
    const worker = openWork(engine, openOf(queue));
    await worker.waitFor('delivery');
    proxy.refuse();
    proxy.cut();
    const from = performance.now();
    await engine.close();
    expect(performance.now() - from).toBeLessThan(5_000);
    await refused(worker.over);
  });
});

describe('an outage under load', () => {
  test('T027 reconnect: all work resumes by itself, nothing is lost and nothing runs twice', async () => {
    engine.start();
    const queue = redis.freshQueue();
    const ids = many(600);
    await queue.seed(waiting(...ids));
    const worker = openWork(engine, openOf(queue, {}, 30));
    const handled = handleAll(worker);
    await expect.poll(() => handled.done()).toBeGreaterThan(20);
    proxy.refuse();
    proxy.cut();
    await sleep(500);
    await proxy.accept();
    await allDone(handled, ids.length);
    expect(handled.refusals).toEqual([]);
    expect([...handled.runs.values()].filter((runs) => runs > 1)).toEqual([]);
    await books(queue, ids);
  });

  test('T030 connection reset: connections that are reset again and again lose nothing', async () => {
    engine.start();
    const queue = redis.freshQueue();
    const ids = many(400);
    await queue.seed(waiting(...ids));
    const worker = openWork(engine, openOf(queue, {}, 10));
    const handled = handleAll(worker);
    for (let cuts = 0; cuts < 10; cuts++) {
      await sleep(60);
      proxy.cut();
    }
    await allDone(handled, ids.length);
    expect([...handled.runs.values()].filter((runs) => runs > 1)).toEqual([]);
    await books(queue, ids);
  });

  test('T040 call without deadline: a fetch whose answer is swallowed is found and given back, long before its lock', async () => {
    engine.start();
    const queue = redis.freshQueue();
    await expect.poll(() => engine.ready).toBe(true);
    await queue.seed(waiting('1'));
    proxy.swallow('toClient');
    const fetch = engine.services.worker.fetchJobs(fetchOf(queue), patient);
    await expect.poll(() => queue.read()).toMatchObject({ active: ['1'] });
    expect(await refused(fetch)).toMatchObject({ code: 'UNKNOWN', reason: 'OUTCOME_UNKNOWN' });
    proxy.resume();
    proxy.cut();
    const handled = handleAll(openWork(engine, openOf(queue)));
    await expect.poll(() => handled.done(), { timeout: 10_000 }).toBe(1);
    await books(queue, ['1']);
  });

  test('T021, T029 blocking wait never returns: an idle worker whose link fell silent gets the next job soon after it is back', async () => {
    engine.start();
    const queue = redis.freshQueue();
    const worker = openWork(engine, openOf(queue));
    await worker.waitFor('opened');
    await expect.poll(() => engine.ready).toBe(true);
    proxy.pause();
    await sleep(1_000);
    proxy.cut();
    proxy.resume();
    await queue.seed({ ...waiting('1'), marker: [['0', 0]] });
    await worker.waitFor('delivery');
  });

  test('T033 script cache lost: a script cache that is flushed is never seen', async () => {
    engine.start();
    const queue = redis.freshQueue();
    const ids = many(300);
    await queue.seed(waiting(...ids));
    const worker = openWork(engine, openOf(queue, {}, 10));
    const handled = handleAll(worker);
    while (handled.done() < ids.length) {
      await redis.client.script('FLUSH');
      await sleep(5);
    }
    expect(handled.refusals).toEqual([]);
    await books(queue, ids);
  });
});

test('T035 read-only after failover: a store that is read-only for a while is no reason to lose anything', async () => {
  engine.start();
  const queue = redis.freshQueue();
  const ids = many(100);
  await queue.seed(waiting(...ids));
  const subscriptions = [subscriptionOf(queue, { maxInFlight: 5 })];
  const worker = openWork(engine, openOf(queue, { subscriptions }));
  const handled = handleAll(worker);
  await expect.poll(() => handled.done()).toBeGreaterThan(5);
  await redis.client.replicaof('127.0.0.1', 1);
  await sleep(700);
  await redis.client.replicaof('NO', 'ONE');
  await allDone(handled, ids.length);
  expect([...handled.runs.values()].filter((runs) => runs > 1)).toEqual([]);
  await books(queue, ids);
});
