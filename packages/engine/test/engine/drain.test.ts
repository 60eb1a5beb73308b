import { EmptyReason, WorkerDirectiveAction } from '@echomq/proto/messages';
import { collect } from '@echomq/testkit';
import { describe, expect, test } from 'vitest';
import { complete, fetchOf, finishOf, seconds, useEngine, waiting } from '../use-engine.js';
import { patient, refused } from '../use-services.js';
import { beat, openOf, openWork, report } from '../work-link.js';

const used = useEngine();

describe('an engine that leaves', () => {
  test('answers those who wait, takes nothing new, and lets what runs be finished', async () => {
    const engine = await used.another();
    const queue = used.queue();
    const changes = collect<boolean>('changes');
    await expect.poll(() => engine.ready).toBe(true);
    engine.onReadyChange(changes.push);
    await queue.seed(waiting('1', '2', '3', '4'));
    const worker = openWork(engine, openOf(queue, {}, 2));
    await worker.waitFor('delivery');
    await expect.poll(() => worker.of('delivery').flatMap(({ jobs }) => jobs)).toHaveLength(2);
    const [one, two] = worker.of('delivery').flatMap(({ jobs }) => jobs);
    worker.send(beat([one]));
    await worker.waitFor('heartbeatAck');
    const { worker: api } = engine.services;
    const idle = used.queue();
    const poll = api.fetchJobs(fetchOf(idle, { wait: seconds(30) }), patient);
    const held = used.queue();
    await held.seed(waiting('a', 'b'));
    const { jobs } = await api.fetchJobs(fetchOf(held), patient);

    const drained = engine.drain({ timeoutMs: 10_000 });
    expect(await changes.waitFor(1)).toEqual([false]);
    expect((await poll).emptyReason).toBe(EmptyReason.DRAINING);
    const [directive] = await worker.waitFor('directive');
    expect(directive?.action).toBe(WorkerDirectiveAction.RECONNECT);
    const late = [
      () => openWork(engine, openOf(queue)).over,
      () => api.fetchJobs(fetchOf(queue), patient),
    ];
    for (const call of late) {
      expect(await refused(call())).toMatchObject({
        code: 'UNAVAILABLE',
        reason: 'GATEWAY_DRAINING',
      });
    }
    const fetchNext = {
      maxJobs: 1,
      wait: undefined,
      lockDuration: undefined,
      maxResponseBytes: 0,
      rateLimit: undefined,
    };
    const finish = await api.finishJob(finishOf(jobs[0], complete(), { fetchNext }), patient);
    expect(finish).toMatchObject({ next: [], emptyReason: EmptyReason.DRAINING });
    worker.send(report(1, one, complete('1')));
    const [ack] = await worker.waitFor('reportAck');
    expect(ack?.outcome?.$case).toBe('result');
    expect(worker.of('delivery').flatMap((each) => each.jobs)).toHaveLength(2);
    worker.send({ $case: 'drain', value: { reason: '', releaseUnstarted: false } });
    worker.halfClose();
    await worker.over;
    await drained;
    await engine.close();
    const state = await queue.read();
    expect(state).toMatchObject({ wait: ['4', '3', '2'] });
    expect(state.active).toBeUndefined();
    expect(two?.lease?.jobId).toBe('2');
  });

  test('ends the streams that stay, gives back what they have not begun', async () => {
    const engine = await used.another();
    const queue = used.queue();
    await queue.seed(waiting('1', '2'));
    const worker = openWork(engine, openOf(queue));
    await expect.poll(() => worker.of('delivery').flatMap(({ jobs }) => jobs)).toHaveLength(2);
    const [one] = worker.of('delivery').flatMap(({ jobs }) => jobs);
    worker.send(beat([one]));
    await worker.waitFor('heartbeatAck');
    await engine.drain({ timeoutMs: 100 });
    expect(await refused(worker.over)).toMatchObject({ reason: 'GATEWAY_DRAINING' });
    await engine.close();
    expect(await queue.read()).toMatchObject({ active: ['1'], wait: ['2'] });
  });

  test('may be closed twice, and without having met anybody', async () => {
    const engine = await used.another();
    await Promise.all([engine.close(), engine.close()]);
    expect(engine.ready).toBe(false);
  });
});
