import { setTimeout as sleep } from 'node:timers/promises';
import { eventually, freshQueue, startPair, useStarted } from '@echomq/testkit';
import { expect, it } from 'vitest';
import {
  add,
  addMany,
  checkBooks,
  checkHistory,
  History,
  noteEnds,
  noting,
  PATIENCE_MS,
  RawError,
  refusalOf,
  useRig,
} from '../../src/index.js';

const pair = useStarted(() => startPair());
const rig = useRig({ storeUrl: () => pair.value.url });
const queueHere = () => freshQueue(pair.value.primary.connect());

function worker(queue: string, history: History) {
  const made = rig.worker(
    queue,
    noting(history, 'w', () => sleep(2)),
    { concurrency: 5, lockDuration: 10_000 },
  );
  return noteEnds(history, 'w', made);
}

it('T028 failover during blocking wait: an idle worker follows the new primary', async () => {
  const queue = queueHere();
  const history = new History();
  await worker(queue.name, history).waitUntilReady();
  await pair.value.failover();
  const from = performance.now();
  const raw = rig.raw();
  const id = await eventually(() => add(raw, queue.name), PATIENCE_MS);
  history.note({ kind: 'accepted', job: id }, 0);
  await eventually(() => expect(history.count('ended')).toBe(1), PATIENCE_MS);
  expect(performance.now() - from).toBeLessThan(PATIENCE_MS);
  expect(checkHistory(history)).toEqual([]);
  const state = await freshQueue(pair.value.primary.connect(), { name: queue.name }).read();
  expect(checkBooks(state, { accepted: [id], atRest: true })).toEqual([]);
});

it('T035 read-only after failover: adds fail as retryable, and work again on the new primary', async () => {
  const queue = queueHere();
  const history = new History();
  const raw = rig.raw();
  worker(queue.name, history);
  const ids = await addMany(raw, queue.name, 100);
  await eventually(() => expect(history.count('ended')).toBeGreaterThan(10), PATIENCE_MS);
  const refusals: RawError[] = [];
  // Whoever is connected stays so, to a server that takes no writes.
  await pair.value.failover(async () => {
    for (let tries = 0; tries < 5; tries += 1) refusals.push(await refusalOf(add(raw, queue.name)));
  });
  const from = performance.now();
  const more = await eventually(async () => {
    try {
      return await add(raw, queue.name);
    } catch (error) {
      if (error instanceof RawError) refusals.push(error);
      throw error;
    }
  }, PATIENCE_MS);
  expect(performance.now() - from).toBeLessThan(5_000);
  for (const { status, reason } of refusals) {
    expect(['UNAVAILABLE BACKEND_UNAVAILABLE', 'UNKNOWN OUTCOME_UNKNOWN']).toContain(
      `${status} ${reason}`,
    );
  }
  for (const job of [...ids, more]) history.note({ kind: 'accepted', job }, 0);
  const state = () => freshQueue(pair.value.primary.connect(), { name: queue.name }).read();
  await eventually(
    async () => expect(checkBooks(await state(), { atRest: true })).toEqual([]),
    PATIENCE_MS,
  );
  // A demoted primary may have acknowledged what its replica had not got yet: those are asked for by name.
  const known = new Set([...ids, more]);
  expect(checkBooks(await state(), { accepted: known, removed: 'any', atRest: true })).toEqual([]);
});
