import { AddMode, JobOptions } from '@echomq/proto/messages';
import { eventually } from '@echomq/testkit';
import { beforeEach, describe, expect, test } from 'vitest';
import type { EngineObserver } from '../../src/ports.js';
import { complete, fail, fetchOf, finishOf, seconds, useEngine, waiting } from '../use-engine.js';
import { patient, refused } from '../use-services.js';
import { openOf, openWork } from '../work-link.js';

type Heard = [name: keyof EngineObserver, ...args: unknown[]];

const heard: Heard[] = [];
const note =
  (name: keyof EngineObserver) =>
  (...args: unknown[]) => {
    heard.push([name, ...args]);
  };
const observer: EngineObserver = {
  answered: note('answered'),
  refused: note('refused'),
  jobsAdded: note('jobsAdded'),
  jobStarted: note('jobStarted'),
  jobEnded: note('jobEnded'),
  jobsStalled: note('jobsStalled'),
  jobsReturned: note('jobsReturned'),
  locksRenewed: note('locksRenewed'),
};
const used = useEngine({ observer, sweep: { stalledIntervalMs: 100, maxStalledCount: 1 } });
const services = () => used.engine.services;

/** What was heard under a name, of one queue. */
const told = (name: keyof EngineObserver, queue?: string) =>
  heard.filter(([told, first]) => told === name && (queue === undefined || first === queue));

const item = (queue: string, more: object = {}) => ({
  queue,
  name: 'n',
  data: Buffer.from('{}'),
  options: undefined,
  parent: undefined,
  ...more,
});

beforeEach(() => {
  heard.length = 0;
});

describe('an observer hears', () => {
  test('what is added, and nothing of what was there already', async () => {
    const { name } = used.queue();
    const { producer } = services();
    const options = JobOptions.create({ jobId: 'mine' });
    await producer.addJob({ ...item(name, { options }), requestId: 'r' }, patient);
    await producer.addJob({ ...item(name, { options }), requestId: 'r' }, patient);
    await producer.addJob({ ...item(name, { options }), requestId: '' }, patient);
    const items = [item(''), item('')];
    const bulk = { queue: name, items, mode: AddMode.ATOMIC, requestId: '' };
    await producer.addJobs(bulk, patient);
    await producer.addJobs({ ...bulk, mode: AddMode.PER_ITEM }, patient);
    const root = { ...item(name), children: [{ ...item(name), children: [] }] };
    await producer.addFlow({ root, parent: undefined, requestId: '' }, patient);
    expect(told('jobsAdded', name)).toEqual(Array(7).fill(['jobsAdded', name, 1]));
  });

  test('the start of a job with its wait, each end once, and locks that are renewed or lost', async () => {
    const queue = used.queue();
    const { jobs, wait } = waiting('1');
    await queue.seed({ jobs: { '1': { ...jobs['1'], opts: { attempts: 2 } } }, wait });
    const { worker } = services();
    const first = (await worker.fetchJobs(fetchOf(queue), patient)).jobs[0];
    const lease = first?.lease;
    const foreign = lease && { ...lease, leaseToken: 'another' };
    await worker.extendLocks(
      {
        leases: [lease, foreign].filter((one) => one !== undefined),
        lockDuration: seconds(5),
        worker: undefined,
        load: undefined,
      },
      patient,
    );
    const failing = { ...finishOf(first, fail('boom')), requestId: 'once' };
    await worker.finishJob(failing, patient);
    await worker.finishJob(failing, patient);
    const second = (await worker.fetchJobs(fetchOf(queue), patient)).jobs[0];
    await worker.finishJob(finishOf(second, complete()), patient);
    await refused(worker.finishJob(finishOf(second, complete()), patient));
    const [one, two] = [first?.lease?.leaseToken, second?.lease?.leaseToken];
    const { name } = queue;
    expect(heard.filter(([, first]) => first === name)).toEqual([
      ['jobStarted', name, one, expect.any(Number)],
      ['locksRenewed', name, 1, 1],
      ['jobEnded', name, one, 'retried', false],
      ['jobEnded', name, one, 'retried', true],
      ['jobStarted', name, two, undefined],
      ['jobEnded', name, two, 'completed', false],
    ]);
    // Alone it is refused as a whole.
    expect(told('refused')).toEqual([]);
    const alone = told('answered').filter(([, , , reason]) => reason === 'LOCK_LOST');
    expect(alone).toEqual([['answered', 'moveToFinished', expect.any(Number), 'LOCK_LOST']]);
    expect(told('answered').every(([, , ms]) => typeof ms === 'number' && ms >= 0)).toBe(true);
  });

  test('the wait of a delayed job from its due time on, and none of one that was promoted ahead of it', async () => {
    const queue = used.queue();
    const ago = (ms: number) => Date.now() - ms;
    const opts = { delay: 60_000, backoff: { type: 'fixed', delay: 5 } };
    const jobs = {
      due: { timestamp: ago(65_000), opts },
      early: { timestamp: ago(10_000), opts },
      at: { timestamp: ago(65_000), opts: { runAt: ago(5_000) } },
      plain: { timestamp: ago(5_000), opts: { backoff: opts.backoff } },
      foreign: { timestamp: ago(5_000), opts: '{"delay"' },
    };
    await queue.seed({ jobs, wait: ['foreign', 'plain', 'at', 'early', 'due'] });
    expect((await used.engine.backlogOf(queue.name)).oldestWaitingMs).toBeLessThan(30_000);
    await services().worker.fetchJobs(fetchOf(queue, { maxJobs: 5 }), patient);
    const waits = told('jobStarted', queue.name).map(([, , , waitMs]) => Number(waitMs));
    const [due, early, ...others] = waits;
    expect(early).toBeNaN();
    for (const wait of [due, ...others]) {
      expect(wait).toBeGreaterThan(4_000);
      expect(wait).toBeLessThan(30_000);
    }
    expect(others).toHaveLength(3);
  });

  test('what a sweep takes from silent workers', async () => {
    const queue = used.queue();
    await queue.seed(waiting('1'));
    await services().worker.fetchJobs(fetchOf(queue, { lockDuration: seconds(1) }), patient);
    await used.redis.client.del(queue.key('1:lock'));
    await eventually(() => expect(told('jobsStalled', queue.name)).not.toEqual([]));
    expect(told('jobsStalled', queue.name)).toEqual([['jobsStalled', queue.name, 1, 0]]);
  });

  test('no stall of a job that nobody had begun', async () => {
    const queue = used.queue();
    const run = { processedOn: '5', 'echomq.unbegun': '5' };
    await queue.seed({ jobs: { '1': run, '2': {} }, active: ['1', '2'] });
    await services().worker.fetchJobs(fetchOf(queue), patient);
    await eventually(() => expect(told('jobsReturned', queue.name)).not.toEqual([]));
    expect(told('jobsReturned', queue.name)).toEqual([['jobsReturned', queue.name, 1]]);
    expect(told('jobsStalled', queue.name)).toEqual([['jobsStalled', queue.name, 1, 0]]);
  });

  test('what goes back before anybody has begun', async () => {
    const queue = used.queue();
    const { name } = queue;
    await queue.seed(waiting('1'));
    const worker = openWork(used.engine, openOf(queue));
    await worker.waitFor('delivery');
    worker.cut();
    await eventually(() => expect(told('jobEnded', name)).not.toEqual([]));
    const [[, , token] = []] = told('jobStarted', name);
    expect(told('jobEnded', name)).toEqual([['jobEnded', name, token, 'unbegun', false]]);
  });
});

test('a backlog tells how many stand where, and how old the next in line is', async () => {
  const queue = used.queue();
  const past = Date.now() - 60_000;
  const aged = { timestamp: past };
  await queue.seed({
    jobs: { '1': aged, '2': {}, p: { timestamp: past - 60_000 }, d: {} },
    wait: ['2', '1'],
    prioritized: [['p', 4_294_967_297]],
    delayed: [['d', (Date.now() + 60_000) * 4_096]],
  });
  const { counts, oldestWaitingMs } = await used.engine.backlogOf(queue.name);
  expect(counts).toMatchObject({ waiting: 2, prioritized: 1, delayed: 1, active: 0 });
  expect(oldestWaitingMs).toBeGreaterThan(119_000);
  // One that is tried again was not late before it ran.
  const again = used.queue();
  const retried = { timestamp: past, processedOn: Date.now() - 5_000 };
  await again.seed({ jobs: { '1': retried }, wait: ['1'] });
  const waits = (await used.engine.backlogOf(again.name)).oldestWaitingMs;
  expect(waits).toBeGreaterThan(4_000);
  expect(waits).toBeLessThan(30_000);
  const nothing = await used.engine.backlogOf(used.queue().name);
  expect(nothing.oldestWaitingMs).toBe(0);
});
