import {
  AppendLogsRequest,
  type DeliveredJob,
  Disposition,
  type FetchNext,
  type FinishJobRequest,
  FinishJobsRequest,
} from '@echomq/proto/messages';
import { eventually, type FreshQueue } from '@echomq/testkit';
import { describe, expect, test } from 'vitest';
import { complete, fail, fetchOf, finishOf, seconds, useEngine, waiting } from '../use-engine.js';
import { patient, refused } from '../use-services.js';
import { unswept, useProxiedEngines } from './proxied-engine.js';

const used = useEngine({ metrics: { maxDataPoints: 10 } });
const beyondProxy = useProxiedEngines(used);
const worker = (engine = used.engine) => engine.services.worker;

/** Asks for the next jobs. */
const nextOf = (maxJobs: number, wait = 0): FetchNext => ({
  maxJobs,
  wait: seconds(wait),
  lockDuration: undefined,
  maxResponseBytes: 0,
  rateLimit: undefined,
});

/** The first job of a queue of so many, taken. */
async function held(count: number): Promise<{ queue: FreshQueue; job: DeliveredJob | undefined }> {
  const queue = used.queue();
  await queue.seed(waiting(...Array.from({ length: count }, (_, at) => `${at + 1}`)));
  const { jobs } = await worker().fetchJobs(fetchOf(queue), patient);
  return { queue, job: jobs[0] };
}

const once = (more: Partial<FinishJobRequest> = {}): Partial<FinishJobRequest> => ({
  requestId: 'r1',
  ...more,
});
const ids = (jobs: readonly DeliveredJob[]) => jobs.map(({ lease }) => lease?.jobId);

describe('FinishJob with a request_id', () => {
  test('ends once; comes again with the same answer and the same next jobs', async () => {
    const { queue, job } = await held(5);
    const request = finishOf(job, complete('1'), once({ fetchNext: nextOf(3) }));
    const first = await worker().finishJob(request, patient);
    expect(first.result).toMatchObject({ disposition: Disposition.COMPLETED, replayed: false });
    expect(ids(first.next)).toEqual(['2', '3', '4']);
    const before = await unswept(queue);
    const result = { ...first.result, replayed: true };
    const another = await used.another();
    for (const engine of [used.engine, another]) {
      const again = await worker(engine).finishJob(request, patient);
      expect(again).toEqual({ ...first, result });
    }
    expect(withoutReceipts(await unswept(queue))).toEqual(withoutReceipts(before));
    expect(before['metrics:completed']).toMatchObject({ count: '1' });
  });

  test('brings no other next job when those are gone, although jobs wait', async () => {
    const { queue, job } = await held(4);
    const request = finishOf(job, complete('1'), once({ fetchNext: nextOf(2, 5) }));
    const first = await worker().finishJob(request, patient);
    for (const next of first.next) await worker().finishJob(finishOf(next, complete()), patient);
    const again = await worker().finishJob(request, patient);
    expect(again).toMatchObject({ result: { replayed: true }, next: [] });
    expect((await queue.read()).wait).toEqual(['4']);
  });

  test.each<[string, Parameters<typeof finishOf>[1], Disposition]>([
    ['a failure', fail('boom'), Disposition.RETRY_SCHEDULED],
    ['a release', { $case: 'release', value: { toFront: true } }, Disposition.RELEASED],
    [
      'a rate limit',
      { $case: 'rateLimited', value: { duration: seconds(60) } },
      Disposition.RELEASED,
    ],
    [
      'a delay',
      { $case: 'delay', value: { due: { $case: 'delay', value: seconds(60) }, skipAttempt: true } },
      Disposition.DELAYED,
    ],
    ['nothing to await', { $case: 'awaitChildren', value: {} }, Disposition.RELEASED],
  ])('counts %s, its progress and log lines once', async (_, kind, disposition) => {
    const queue = used.queue();
    const opts = { attempts: 3, backoff: { type: 'fixed', delay: 60_000 } };
    await queue.seed({ jobs: { 1: { opts, atm: 1 } }, wait: ['1'] });
    const { jobs } = await worker().fetchJobs(fetchOf(queue), patient);
    const notes = { progress: Buffer.from('5'), logs: ['a', 'b'] };
    const request = finishOf(jobs[0], kind, once(notes));
    const first = await worker().finishJob(request, patient);
    expect(first.result?.disposition).toBe(disposition);
    const before = await unswept(queue);
    const again = await worker().finishJob(request, patient);
    expect(again).toEqual({ ...first, result: { ...first.result, replayed: true } });
    expect(await unswept(queue)).toEqual(before);
    expect(before).toMatchObject({ '1:logs': ['a', 'b'], 1: { progress: '5' } });
  });

  test('parks a parent once', async () => {
    const queue = used.queue();
    await queue.seed({ ...waiting('1'), '1:dependencies': ['bull:other:c'] });
    const { jobs } = await worker().fetchJobs(fetchOf(queue), patient);
    const request = finishOf(jobs[0], { $case: 'awaitChildren', value: {} }, once());
    const first = await worker().finishJob(request, patient);
    const disposition = Disposition.WAITING_CHILDREN;
    expect(first.result).toMatchObject({ disposition, replayed: false });
    const again = await worker().finishJob(request, patient);
    expect(again.result).toMatchObject({ disposition, replayed: true });
  });

  test('refuses another outcome under the same id, and changes nothing', async () => {
    const { queue, job } = await held(1);
    await worker().finishJob(finishOf(job, complete('1'), once()), patient);
    const before = await unswept(queue);
    const other = worker().finishJob(finishOf(job, fail('boom'), once()), patient);
    expect(await refused(other)).toMatchObject({ code: 'ABORTED', reason: 'REQUEST_ID_REUSED' });
    expect(await unswept(queue)).toEqual(before);
  });

  test('is told LOCK_LOST without an id, and leaves no receipt', async () => {
    const { queue, job } = await held(1);
    const request = finishOf(job, complete('1'));
    await worker().finishJob(request, patient);
    expect(await refused(worker().finishJob(request, patient))).toMatchObject({
      reason: 'LOCK_LOST',
    });
    const dump = await queue.read();
    expect(withoutReceipts(dump)).toEqual(dump);
  });

  test('knows what became of one whose answer the store could not give', async () => {
    const { queue, job } = await held(2);
    const { engine, proxy, graces, warnings } = await beyondProxy();
    const request = finishOf(job, complete('1'), once({ fetchNext: nextOf(1) }));
    proxy.delay(200, 'toClient');
    const lost = refused(worker(engine).finishJob(request, patient));
    await eventually(async () => expect((await queue.read()).active).toEqual(['2']));
    proxy.cut();
    expect(await lost).toMatchObject({ code: 'UNKNOWN', reason: 'OUTCOME_UNKNOWN' });
    const again = await worker().finishJob(request, patient);
    expect(again).toMatchObject({ result: { replayed: true }, next: [{ lease: { jobId: '2' } }] });
    // The engine that lost the answer finds the next job, and leaves it to whom it was given.
    await eventually(() => expect(graces).toHaveLength(1));
    proxy.delay(0, 'toClient');
    const before = await unswept(queue);
    graces.pop()?.();
    await eventually(() => expect(warnings).toContain('fetch.found'));
    await engine.close();
    expect(await unswept(queue)).toEqual(before);
    expect(before['metrics:completed']).toMatchObject({ count: '1' });
  });
});

describe('FinishJobs with a request_id', () => {
  test('ends each item once, and brings the same next jobs', async () => {
    const queue = used.queue();
    await queue.seed(waiting('1', '2', '3', '4', '5'));
    const { jobs } = await worker().fetchJobs(fetchOf(queue, { maxJobs: 2 }), patient);
    const items = jobs.map(({ lease }) => ({ lease, outcome: { kind: complete('1') } }));
    const part = { items, fetchNext: nextOf(2), requestId: 'r1' };
    const request = FinishJobsRequest.fromPartial(part as Partial<FinishJobsRequest>);
    const first = await worker().finishJobs(request, patient);
    expect(ids(first.next)).toEqual(['3', '4']);
    const again = await worker().finishJobs(request, patient);
    expect(again.next).toEqual(first.next);
    expect(again.results).toMatchObject([
      { outcome: { value: { replayed: true } } },
      { outcome: { value: { replayed: true } } },
    ]);
    expect(await queue.read()).toMatchObject({ wait: ['5'], 'metrics:completed': { count: '2' } });
    const other = { ...request, items: request.items.slice(0, 1) };
    expect(await refused(worker().finishJobs(other, patient))).toMatchObject({
      reason: 'REQUEST_ID_REUSED',
    });
  });

  test('gives its next jobs back where no answer arrives, however often it came', async () => {
    const queue = used.queue();
    await queue.seed(waiting('1', '2', '3', '4'));
    const { engine, graces } = await beyondProxy();
    const { jobs } = await worker(engine).fetchJobs(fetchOf(queue, { maxJobs: 2 }), patient);
    const items = jobs.map(({ lease }) => ({ lease, outcome: { kind: complete('1') } }));
    const part = { items, fetchNext: nextOf(2), requestId: 'r1' };
    const request = FinishJobsRequest.fromPartial(part as Partial<FinishJobsRequest>);
    for (const call of ['first', 'again']) {
      const lost: (() => void)[] = [];
      const context = { ...patient, onLost: (takeBack: () => void) => void lost.push(takeBack) };
      const { next } = await worker(engine).finishJobs(request, context);
      expect([call, ids(next)]).toEqual([call, ['3', '4']]);
      for (const takeBack of lost) takeBack();
    }
    await eventually(() => expect(graces).toHaveLength(2));
    const [first, again] = graces.splice(0);
    // The request came again meanwhile: what the first call knows says nothing.
    first?.();
    again?.();
    await eventually(async () => expect(await unswept(queue)).not.toHaveProperty('active'));
    expect(await queue.read()).toMatchObject({ wait: ['4', '3'] });
  });
});

describe('AppendLogs with a request_id', () => {
  test('appends once', async () => {
    const { queue, job } = await held(1);
    const part = { lease: job?.lease, lines: ['a', 'b'], requestId: 'r1' };
    const request = AppendLogsRequest.fromPartial(part as Partial<AppendLogsRequest>);
    for (let time = 0; time < 2; time++) {
      expect(await worker().appendLogs(request, patient)).toEqual({ total: 2 });
    }
    expect((await queue.read())['1:logs']).toEqual(['a', 'b']);
  });
});

/** A dump without the receipts of requests, which count how often they are given again. */
function withoutReceipts(dump: object): object {
  return Object.fromEntries(Object.entries(dump).filter(([key]) => !key.startsWith('meta:req:')));
}
