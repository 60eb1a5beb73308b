import {
  addJob as addToStore,
  QueueKeys,
  type Receipt,
  Store,
  StoreUnavailable,
} from '@echomq/core';
import { connectRedis } from '@echomq/core/ioredis';
import { AddJobRequest, AddJobsRequest, AddMode } from '@echomq/proto/messages';
import { eventually } from '@echomq/testkit';
import { expect, test } from 'vitest';
import type { Engine } from '../../src/engine.js';
import { AddSlots } from '../../src/receipts/add-slots.js';
import type { CallContext } from '../../src/service.js';
import { useEngine } from '../use-engine.js';
import { frozen, patient, refused } from '../use-services.js';
import { useProxiedEngines } from './proxied-engine.js';

const used = useEngine();
const proxied = useProxiedEngines(used);
/** A caller in this process. */
const near: CallContext = { ...patient, near: true };

const addJob = (engine: Engine, queue: string, requestId: string) =>
  engine.services.producer.addJob(
    frozen(AddJobRequest.fromPartial({ queue, name: 'n', requestId })),
    near,
  );

function addBulk(engine: Engine, queue: string, requestId: string) {
  const items = [{ name: 'a' }, { name: 'b', options: { jobId: 'own' } }];
  const request = { queue, items, requestId, mode: AddMode.ATOMIC };
  return engine.services.producer.addJobs(frozen(AddJobsRequest.fromPartial(request)), near);
}

/** The receipts that stand, by their slots. */
async function slotsOf(queue: ReturnType<typeof used.queue>): Promise<Record<string, string>> {
  const found = Object.entries(await queue.read()).filter(([key]) => /^meta:(rcpt|req):/.test(key));
  expect(found.length).toBeLessThanOrEqual(1);
  return (found[0]?.[1] ?? {}) as Record<string, string>;
}

test('adds one after the other leave one receipt, adds at once one each at most', async () => {
  const queue = used.queue();
  for (let i = 0; i < 20; i++) await addJob(used.engine, queue.name, `r${i}`);
  expect(Object.keys(await slotsOf(queue))).toEqual(['0']);
  await Promise.all(Array.from({ length: 7 }, (_, i) => addJob(used.engine, queue.name, `s${i}`)));
  expect(Object.keys(await slotsOf(queue)).sort()).toEqual(['0', '1', '2', '3', '4', '5', '6']);
  expect((await queue.read()).wait).toHaveLength(27);
});

test.each([
  ['an add', addJob, 1],
  ['a bulk', addBulk, 2],
] as const)('%s whose answer the store did not get through is done once', async (_, add, jobs) => {
  const queue = used.queue();
  const { engine, proxy } = await proxied();
  await addJob(engine, queue.name, 'before');
  // The server knows the script: it goes out once.
  await add(engine, used.queue().name, 'before');
  proxy.swallow('toClient');
  const lost = refused(add(engine, queue.name, 'r'));
  await eventually(async () => expect((await queue.read()).wait).toHaveLength(1 + jobs));
  proxy.resume();
  proxy.cut();
  expect(await lost).toMatchObject({ reason: 'OUTCOME_UNKNOWN' });
  // What others add meanwhile has slots of its own.
  await eventually(() => addJob(engine, queue.name, 'another'));
  const before = await queue.read();
  const again = await add(engine, queue.name, 'r');
  expect(again).toMatchObject(
    'results' in again ? { duplicateRequest: true } : { jobId: '2', replayed: true },
  );
  expect(await queue.read()).toEqual(before);
  expect(before.wait).toHaveLength(2 + jobs);
});

test('the life of the receipts is said with the first add, and again where they are gone', async () => {
  const queue = used.queue();
  const client = used.redis.client;
  await addJob(used.engine, queue.name, 'r1');
  const [key = ''] = await client.keys(queue.key('meta:rcpt:*'));
  expect(await client.pttl(key)).toBeGreaterThan(170_000);
  await client.pexpire(key, 60_000);
  await addJob(used.engine, queue.name, 'r2');
  expect(await client.pttl(key)).toBeLessThanOrEqual(60_000);
  await client.del(key);
  await addJob(used.engine, queue.name, 'r3');
  expect(await client.pttl(key)).toBeGreaterThan(170_000);
});

test('a first attempt that arrives behind its repetition adds nothing', async () => {
  const queue = used.queue();
  const keys = new QueueKeys('bull', queue.name);
  const client = connectRedis({ url: used.redis.url });
  await client.whenReady(AbortSignal.timeout(10_000));
  const [store, slots, sent] = [new Store(client), new AddSlots(), [] as Receipt[]];
  const attempt = slots.within(keys, 'r', async (receipt) => {
    sent.push(receipt);
    throw new StoreUnavailable('the link broke', true);
  });
  await expect(attempt).rejects.toThrow('the link broke');
  const add = (receipt: Receipt | undefined) =>
    addToStore(store, keys, { name: 'n', data: '{}', opts: '{}', ...(receipt && { receipt }) });
  expect(await slots.within(keys, 'r', add)).toMatchObject({ jobId: '1' });
  expect(await add(sent[0])).toMatchObject({ jobId: '1', replayed: true });
  expect((await queue.read()).wait).toEqual(['1']);
  await client.close();
});

test('adds that leave together keep all that each of them says', async () => {
  const queue = used.queue();
  const add = (requestId: string, options: object) =>
    used.engine.services.producer.addJob(
      frozen(
        AddJobRequest.fromPartial({
          queue: queue.name,
          name: requestId,
          data: Buffer.from('[1]'),
          options,
          requestId,
        }),
      ),
      near,
    );
  const added = await Promise.all([
    add('plain', {}),
    add('first', { lifo: true }),
    add('urgent', { priority: 7 }),
    add('own', { jobId: 'own' }),
    add('later', { due: { $case: 'delay', value: { seconds: 60, nanos: 0 } } }),
    add('once', { deduplication: { id: 'd' } }),
    add('again', { deduplication: { id: 'd' } }),
  ]);
  const [plain, first, urgent, own, later, once, again] = added.map(({ jobId }) => jobId);
  expect([own, again]).toEqual(['own', once]);
  expect(added.map(({ replayed }) => replayed)).toEqual(added.map(() => false));
  const { wait, prioritized, delayed } = await queue.read();
  expect(wait).toEqual([once, 'own', plain, first]);
  expect(prioritized).toHaveLength(1);
  expect([prioritized].flat(2)).toContain(urgent);
  expect(delayed).toHaveLength(1);
  expect([delayed].flat(2)).toContain(later);
  expect(Object.keys(await slotsOf(queue))).toHaveLength(7);
});
