import { AddJobRequest } from '@echomq/proto/messages';
import type { FreshQueue } from '@echomq/testkit';
import { expect, onTestFinished, test } from 'vitest';
import type { Engine } from '../../src/engine.js';
import { type Clock, type EngineObserver, systemClock } from '../../src/ports.js';
import { fetchOf, seconds, useEngine } from '../use-engine.js';
import { patient } from '../use-services.js';

const used = useEngine();
/** No poll backs the markers. */
const untimed: Clock = { ...systemClock, setTimeout: () => undefined };

const add = (engine: Engine, queue: FreshQueue) =>
  engine.services.producer.addJob(
    AddJobRequest.fromPartial({ queue: queue.name, name: 'n' }),
    patient,
  );

/** A call that waits for a job, and ends with the test. */
function poll(engine: Engine, queue: FreshQueue) {
  const abort = new AbortController();
  onTestFinished(() => abort.abort());
  const request = fetchOf(queue, { wait: seconds(30) });
  const fetched = engine.services.worker.fetchJobs(request, { signal: abort.signal });
  fetched.catch(() => undefined);
  return fetched;
}

/** Engines that count the looks for a next job. */
async function countingEngine() {
  const looks = { count: 0 };
  const nothing = () => undefined;
  const observer: EngineObserver = {
    answered: (operation) => {
      if (operation === 'moveToActive') looks.count += 1;
    },
    ...{ refused: nothing, jobsAdded: nothing, jobStarted: nothing, jobEnded: nothing },
    ...{ jobsStalled: nothing, jobsReturned: nothing, locksRenewed: nothing },
  };
  return { engine: await used.another({ clock: untimed, observer }), looks };
}

test('who waits gets a job that is added here without waiting for its marker, which wakes another', async () => {
  const { engine } = await countingEngine();
  // The server knows the script: the add is not sent a second time.
  await add(engine, used.queue());
  const queue = used.queue();
  // It was there first: the marker is its.
  const other = used.redis.connect().bzpopmin(queue.key('marker'), 20);
  await expect.poll(() => blocked()).toBe(1);
  const waiting = poll(engine, queue);
  await expect.poll(() => blocked()).toBe(2);
  const { jobId } = await add(engine, queue);
  expect((await waiting).jobs.map(({ lease }) => lease?.jobId)).toEqual([jobId]);
  expect(await other).toEqual([queue.key('marker'), '0', '0']);
  expect(await queue.read()).toMatchObject({ active: [jobId] });
});

test('where that finds nothing it is not done again until a job comes', async () => {
  const { engine, looks } = await countingEngine();
  const queue = used.queue();
  await queue.seed({ meta: { paused: '1' } });
  const waiting = poll(engine, queue);
  await expect.poll(() => blocked()).toBe(1);
  const before = looks.count;
  for (let n = 0; n < 20; n += 1) await add(engine, queue);
  await expect.poll(() => looks.count).toBeGreaterThan(before);
  expect(looks.count).toBe(before + 1);
  await engine.services.queue.resumeQueue({ queue: queue.name }, patient);
  expect((await waiting).jobs.map(({ lease }) => lease?.jobId)).toEqual(['1']);
});

/** How many connections wait for markers. */
async function blocked(): Promise<number> {
  const list = (await used.redis.client.client('LIST')) as string;
  return list.split('\n').filter((line) => / flags=\w*b/.test(line)).length;
}
