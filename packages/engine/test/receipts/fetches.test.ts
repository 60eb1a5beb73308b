import type { FetchJobsRequest, FetchJobsResponse } from '@echomq/proto/messages';
import { eventually, type FreshQueue } from '@echomq/testkit';
import { describe, expect, test } from 'vitest';
import type { Engine } from '../../src/engine.js';
import type { CallContext } from '../../src/service.js';
import { complete, fetchOf, finishOf, seconds, useEngine, waiting } from '../use-engine.js';
import { patient, refused } from '../use-services.js';
import { unswept, useProxiedEngines } from './proxied-engine.js';

const used = useEngine();
const beyondProxy = useProxiedEngines(used);

function fetch(
  { services }: Engine,
  queue: FreshQueue,
  more: Partial<FetchJobsRequest> = {},
  context: CallContext = patient,
): Promise<FetchJobsResponse> {
  return services.worker.fetchJobs(fetchOf(queue, { requestId: 'r1', ...more }), context);
}

const leases = ({ jobs }: FetchJobsResponse) => jobs.map(({ lease }) => lease);

describe('FetchJobs with a request_id', () => {
  test('brings the same jobs when it comes again, and never others', async () => {
    const queue = used.queue();
    await queue.seed(waiting('1', '2', '3', '4'));
    const first = await fetch(used.engine, queue, { maxJobs: 3 });
    expect(first).toMatchObject({ replayed: false });
    expect(first.jobs).toHaveLength(3);
    const another = await used.another();
    for (const engine of [used.engine, another]) {
      const again = await fetch(engine, queue, { maxJobs: 3 });
      expect(again).toEqual({ ...first, replayed: true });
    }
    expect((await queue.read()).wait).toEqual(['4']);
  });

  test('brings only what is still held; in the end nothing, although jobs wait', async () => {
    const queue = used.queue();
    await queue.seed(waiting('1', '2', '3'));
    const first = await fetch(used.engine, queue, { maxJobs: 2 });
    const finish = (at: number) =>
      used.engine.services.worker.finishJob(finishOf(first.jobs[at], complete()), patient);
    await finish(0);
    const again = await fetch(used.engine, queue, { maxJobs: 2 });
    expect(again).toMatchObject({ replayed: true, jobs: [{ lease: { jobId: '2' } }] });
    await finish(1);
    const last = await fetch(used.engine, queue, { maxJobs: 2, wait: seconds(30) });
    expect(last).toMatchObject({ replayed: true, jobs: [] });
    expect((await queue.read()).wait).toEqual(['3']);
  });

  test('takes jobs when the first call has taken none', async () => {
    const queue = used.queue();
    expect(await fetch(used.engine, queue)).toMatchObject({ jobs: [], replayed: false });
    await queue.seed(waiting('1'));
    expect(await fetch(used.engine, queue)).toMatchObject({ replayed: false, jobs: [{}] });
  });

  test('does not mind how long it waits, and minds everything else', async () => {
    const queue = used.queue();
    await queue.seed(waiting('1'));
    await fetch(used.engine, queue);
    expect(await fetch(used.engine, queue, { wait: seconds(3) })).toMatchObject({ replayed: true });
    const other = fetch(used.engine, queue, { maxJobs: 2 });
    expect(await refused(other)).toMatchObject({ code: 'ABORTED', reason: 'REQUEST_ID_REUSED' });
  });

  test('takes jobs once when it races with its first call', async () => {
    const queue = used.queue();
    const another = await used.another();
    const wait = seconds(30);
    const calls = [
      fetch(used.engine, queue, { wait }),
      fetch(another, queue, { wait }),
      fetch(used.engine, queue, { wait }),
    ];
    await eventually(async () => {
      const clients = String(await used.redis.client.call('CLIENT', 'LIST'));
      expect(clients.match(/ cmd=bzpopmin /g)?.length ?? 0).toBeGreaterThanOrEqual(2);
    });
    await queue.seed(waiting('1', '2', '3'));
    await used.redis.client.zadd(`${queue.base}marker`, 0, '0');
    const [first] = await Promise.all(calls.slice(0, 1));
    const answers = await Promise.all(calls);
    expect(answers.map(leases)).toEqual(answers.map(() => leases(first as FetchJobsResponse)));
    expect(answers.filter(({ replayed }) => !replayed)).toHaveLength(1);
    expect((await queue.read()).wait).toHaveLength(2);
  });

  test('a waiting repetition gets what its first call took last', async () => {
    const queue = used.queue();
    const another = await used.another();
    const first = fetch(used.engine, queue, { wait: seconds(30) });
    await eventually(async () => {
      const clients = String(await used.redis.client.call('CLIENT', 'LIST'));
      expect(clients).toContain(' cmd=bzpopmin ');
    });
    const second = fetch(another, queue, { wait: seconds(1) });
    await queue.seed(waiting('1'));
    await used.redis.client.zadd(`${queue.base}marker`, 0, '0');
    const answers = await Promise.all([first, second]);
    expect(answers.map(leases)).toEqual([leases(answers[0]), leases(answers[0])]);
  });

  describe('whose caller goes away after the jobs were taken', () => {
    /** Taken, and the caller gone before the answer came; the grace ends when the test says so. */
    const abandoned = async () => {
      const queue = used.queue();
      await queue.seed(waiting('1', '2'));
      const { engine, proxy, graces } = await beyondProxy();
      const caller = new AbortController();
      proxy.delay(200, 'toClient');
      const call = fetch(engine, queue, {}, { signal: caller.signal });
      await eventually(async () => expect((await queue.read()).active).toEqual(['1']));
      caller.abort();
      expect(await call).toMatchObject({ jobs: [] });
      proxy.delay(0, 'toClient');
      await eventually(() => expect(graces).toHaveLength(1));
      return { queue, engine, endGrace: () => graces.pop()?.() };
    };

    test('keeps them for the request to come again, at any engine, and not longer', async () => {
      const { queue, engine, endGrace } = await abandoned();
      const token = (await queue.read())['1:lock'];
      const again = await fetch(used.engine, queue);
      expect(again).toMatchObject({ replayed: true, jobs: [{ lease: { leaseToken: token } }] });
      const before = await unswept(queue);
      endGrace();
      await engine.close();
      expect(await unswept(queue)).toEqual(before);
      const [job] = again.jobs;
      const done = finishOf(job, complete());
      await used.engine.services.worker.finishJob(done, patient);
      expect(await queue.read()).toMatchObject({ completed: [['1', expect.any(Number)]] });
    });

    test('T105 reply lost after activation: gives them back to the front when it does not', async () => {
      const { queue, endGrace } = await abandoned();
      endGrace();
      await eventually(async () => expect((await queue.read()).wait).toEqual(['2', '1']));
      expect(await fetch(used.engine, queue)).toMatchObject({ replayed: true, jobs: [] });
    });

    test('gives them back at once when the engine closes', async () => {
      const { queue, engine } = await abandoned();
      await engine.close();
      expect((await queue.read()).wait).toEqual(['2', '1']);
    });

    test('gives those back again whose repeated answer found nobody either', async () => {
      const { queue, endGrace } = await abandoned();
      const { engine, proxy, graces } = await beyondProxy();
      const caller = new AbortController();
      proxy.delay(200, 'toClient');
      const call = fetch(engine, queue, {}, { signal: caller.signal });
      const key = Object.keys(await queue.read()).find((name) => name.startsWith('meta:req:'));
      await eventually(async () => {
        expect((await queue.read())[key ?? '']).toMatchObject({
          fetch: expect.stringMatching(/^\[1,"[^"]+",1,/),
        });
      });
      caller.abort();
      await call;
      endGrace();
      await eventually(() => expect(graces).toHaveLength(1));
      expect((await queue.read()).active).toEqual(['1']);
      graces.pop()?.();
      await eventually(async () => expect((await queue.read()).wait).toEqual(['2', '1']));
    });
  });

  test('finds the job that the store took for it although its answer was lost', async () => {
    const queue = used.queue();
    await queue.seed(waiting('1', '2'));
    const { engine, proxy, graces, warnings } = await beyondProxy();
    proxy.delay(200, 'toClient');
    const lost = refused(fetch(engine, queue));
    await eventually(async () => expect((await queue.read()).active).toEqual(['1']));
    proxy.cut();
    expect(await lost).toMatchObject({ code: 'UNKNOWN', reason: 'OUTCOME_UNKNOWN' });
    const again = await fetch(used.engine, queue);
    expect(again).toMatchObject({ replayed: true, jobs: [{ lease: { jobId: '1' } }] });
    // The engine that lost the answer looks for the job then, and leaves it to whom it was given.
    await eventually(() => expect(graces).toHaveLength(1));
    proxy.delay(0, 'toClient');
    const before = await unswept(queue);
    graces.pop()?.();
    await eventually(() => expect(warnings).toContain('fetch.found'));
    await engine.close();
    expect(await unswept(queue)).toEqual(before);
  });
});
