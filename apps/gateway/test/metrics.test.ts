import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually, useRedis } from '@echomq/testkit';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { LabelBudget } from '../src/metrics/label-budget.js';
import { RunClock } from '../src/metrics/run-clock.js';
import { testFolder } from './access-files.js';
import { samplesOf, valuesOf } from './exposition.js';
import { LATER, observed, workload } from './observed-workload.js';

const redis = useRedis();

// A sweep looks after queues that an earlier test has left behind, and they would take labels.
beforeEach(async () => {
  await redis.client.flushall();
});

describe('metrics', () => {
  it('count what happens to jobs, calls and the store', async () => {
    const at = await observed(redis, { ECHOMQ_METRICS_QUEUES: 'quiet' });
    onTestFinished(() => at.close());
    const cancel = await workload(at, redis);
    await eventually(async () => {
      const samples = samplesOf(await (await at.get('/metrics')).text());
      expect(valuesOf(samples, 'echomq_jobs_recovered_total')).toEqual([1]);
    });
    const response = await at.get('/metrics');
    expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
    const samples = samplesOf(await response.text());
    const of = (name: string, labels: object = {}) => valuesOf(samples, name, labels);
    const orders = { queue: 'orders', namespace: '' };
    const jobs = (what: string) => of(`echomq_jobs_${what}_total`, orders);
    expect(['added', 'completed', 'failed', 'retried', 'stalled'].map(jobs)).toEqual([
      [6],
      [1],
      [1],
      [1],
      [1],
    ]);
    expect(of('echomq_jobs_returned_total', { ...orders, how: 'released' })).toEqual([1]);
    const [started = 0] = jobs('started');
    expect(started).toBeGreaterThanOrEqual(6);
    expect(of('echomq_job_wait_seconds_count', orders)).toEqual([4]);
    expect(of('echomq_job_run_seconds_count', orders)).toEqual([4]);
    const [renewed = 0] = of('echomq_locks_renewed_total', orders);
    expect(renewed).toBeGreaterThanOrEqual(1);
    expect(of('echomq_locks_lost_total', orders)).toEqual([1]);
    expect(of('echomq_worker_jobs_in_flight', { worker: 'worker-1' })).toEqual([1]);
    expect(of('echomq_work_streams')).toEqual([1]);
    expect(of('echomq_rpc_in_progress', { method: 'WorkerService/Work' })).toEqual([1]);
    const finish = { method: 'WorkerService/FinishJob' };
    expect(of('echomq_rpc_total', { ...finish, status: 'OK' })).toEqual([4]);
    expect(of('echomq_rpc_total', { ...finish, status: 'FAILED_PRECONDITION' })).toEqual([1]);
    expect(of('echomq_rpc_seconds_count', finish)).toEqual([5]);
    expect(of('echomq_rpc_errors_total', { reason: 'LOCK_LOST' })).toEqual([1]);
    const refused = { operation: 'moveToFinished', reason: 'LOCK_LOST' };
    expect(of('echomq_script_errors_total', refused)).toEqual([1]);
    expect(of('echomq_redis_call_seconds_count', { operation: 'moveToFinished' })).toHaveLength(1);
    expect(of('echomq_ready')).toEqual([1]);
    expect(of('nodejs_eventloop_lag_p99_seconds')).toHaveLength(1);
    expect(of('process_cpu_seconds_total')).toHaveLength(1);
    // Nobody has used it, and it is named: zeros for those who scale.
    expect(of('echomq_queue_backlog_jobs', { queue: 'quiet' })).toEqual([0]);
    // It hangs up before it has begun: what was handed out has come back, and ran for no time.
    cancel();
    const unbegun = { ...orders, how: 'unbegun' };
    await eventually(async () => {
      const later = samplesOf(await (await at.get('/metrics')).text());
      expect(valuesOf(later, 'echomq_jobs_returned_total', unbegun)).toEqual([1]);
      expect(valuesOf(later, 'echomq_job_run_seconds_count', orders)).toEqual([4]);
      expect(valuesOf(later, 'echomq_jobs_started_total', orders)).toEqual([started]);
    });
  });

  it('tell how much waits, as numbers and as JSON', async () => {
    const at = await observed(redis);
    onTestFinished(() => at.close());
    for (const options of [{}, {}, { priority: 5 }, LATER]) {
      await at.add('backlog', options);
    }
    await at.fetch('backlog');
    const samples = samplesOf(await (await at.get('/metrics')).text());
    const of = (name: string, labels: object = {}) =>
      valuesOf(samples, name, { queue: 'backlog', ...labels });
    const states = ['waiting', 'active', 'prioritized', 'delayed', 'completed'];
    expect(states.map((state) => of('echomq_queue_jobs', { state }))).toEqual(
      [1, 1, 1, 1, 0].map((jobs) => [jobs]),
    );
    expect(of('echomq_queue_backlog_jobs')).toEqual([3]);
    const one = await at.get('/scaling?queue=backlog');
    const signal = { namespace: '', queue: 'backlog', waiting: 2, active: 1, jobs: 3 };
    expect(await one.json()).toEqual({ ...signal, oldestWaitingSeconds: expect.any(Number) });
    const all = (await (await at.get('/scaling')).json()) as { queues: unknown[] };
    expect(all.queues).toEqual([expect.objectContaining(signal)]);
    expect((await at.get('/scaling?queue=nothing')).status).toBe(404);
  });

  it('count the queues that could not be read, and tell of the others', async () => {
    const at = await observed(redis, { ECHOMQ_METRICS_QUEUES: 'broken,whole' });
    onTestFinished(() => at.close());
    await redis.client.set('bull:broken:wait', 'of another kind');
    const samples = samplesOf(await (await at.get('/metrics')).text());
    expect(valuesOf(samples, 'echomq_queue_read_errors_total')).toEqual([1]);
    expect(valuesOf(samples, 'echomq_queue_backlog_jobs', { queue: 'whole' })).toEqual([0]);
    expect(valuesOf(samples, 'echomq_queue_backlog_jobs', { queue: 'broken' })).toEqual([]);
  });

  it('keep their labels within bounds', async () => {
    const at = await observed(redis, { ECHOMQ_METRICS_MAX_QUEUES: '2' });
    onTestFinished(() => at.close());
    for (const queue of ['a', 'b', 'c', 'd', 'c']) await at.add(queue);
    const samples = samplesOf(await (await at.get('/metrics')).text());
    const added = samples.filter(({ name }) => name === 'echomq_jobs_added_total');
    expect(added.map(({ labels, value }) => [labels.queue, value])).toEqual([
      ['a', 1],
      ['b', 1],
      ['other', 3],
    ]);
    const shown = samples.filter(({ name }) => name === 'echomq_queue_backlog_jobs');
    expect(shown.map(({ labels }) => labels.queue)).toEqual(['a', 'b']);
  });

  it('are for those with the token, where there is one, and can only be read', async () => {
    const tokenFile = join(testFolder(), 'token');
    writeFileSync(tokenFile, 'first\n');
    const at = await observed(redis, { ECHOMQ_METRICS_TOKEN_FILE: tokenFile });
    onTestFinished(() => at.close());
    const as = async (token?: string) =>
      (await at.get('/metrics', token === undefined ? {} : { authorization: `Bearer ${token}` }))
        .status;
    expect([await as(), await as('wrong'), await as('first')]).toEqual([401, 401, 200]);
    // Probes have none.
    expect([(await at.get('/livez')).status, (await at.get('/readyz')).status]).toEqual([200, 200]);
    writeFileSync(tokenFile, 'second\n');
    expect([await as('first'), await as('second')]).toEqual([401, 200]);
    writeFileSync(tokenFile, '\n');
    expect([await as(''), await as('second')]).toEqual([401, 401]);
    writeFileSync(tokenFile, 'second\n');
    const url = `http://${at.gateway.metricsAddress}/metrics`;
    const post = await fetch(url, { method: 'POST', headers: { authorization: 'Bearer second' } });
    expect(post.status).toBe(405);
  });

  it('end with the gateway', async () => {
    const at = await observed(redis);
    await at.close();
    await expect(at.get('/metrics')).rejects.toThrow();
  });
});

describe('their parts', () => {
  it('a label that is free goes to the next who comes', () => {
    const budget = new LabelBudget(1);
    expect([budget.of('a'), budget.of('b'), budget.of('a')]).toEqual(['a', 'other', 'a']);
    budget.release('a');
    expect(budget.of('b')).toBe('b');
  });

  it('a clock of runs forgets the oldest first, and tells each end once', () => {
    let now = 0;
    const clock = new RunClock(2, () => now);
    for (const token of ['a', 'b', 'c']) clock.begin(token);
    now = 5;
    expect(['a', 'b', 'c', 'b'].map((token) => clock.end(token))).toEqual([
      undefined,
      5,
      5,
      undefined,
    ]);
  });
});
