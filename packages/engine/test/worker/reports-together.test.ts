import type { WorkReport } from '@echomq/proto/messages';
import { describe, expect, test } from 'vitest';
import { complete, useEngine, waiting } from '../use-engine.js';
import { refused } from '../use-services.js';
import { beat, openOf, openWork, report } from '../work-link.js';

const used = useEngine();

/** Three jobs in the hands of a worker, and their reports: the second one names a lease that is not its. */
async function reporting(features: string[]) {
  const queue = used.queue();
  await queue.seed(waiting('a', 'b', 'c'));
  const worker = openWork(used.engine, openOf(queue, { features }, 3));
  await expect.poll(() => worker.of('delivery').flatMap(({ jobs }) => jobs)).toHaveLength(3);
  const jobs = worker.of('delivery').flatMap((delivery) => delivery.jobs);
  worker.send(beat(jobs));
  const reports = jobs.map((job, at) => {
    const { lease } = job;
    const other = lease && { ...lease, leaseToken: 'somebody else' };
    return report(at + 1, at === 1 ? { ...job, lease: other } : job, complete(`${at}`))
      .value as WorkReport;
  });
  return { queue, worker, reports };
}

describe('reports that come in one message', () => {
  test('are each taken by itself: one that is refused refuses no other', async () => {
    const { queue, worker, reports } = await reporting(['reportBatches']);
    worker.send({ $case: 'reports', value: { reports, heartbeat: undefined } });
    await expect
      .poll(() => worker.of('reportAcks').length + worker.of('reportAck').length)
      .toBeGreaterThan(0);
    const acks = () => [
      ...worker.of('reportAcks').flatMap((each) => each.acks),
      ...worker.of('reportAck'),
    ];
    await expect.poll(acks).toHaveLength(3);
    const outcomes = acks().map(({ reportId, outcome }) => [reportId, outcome?.$case]);
    expect(outcomes.sort()).toEqual([
      [1, 'result'],
      [2, 'error'],
      [3, 'result'],
    ]);
    expect(worker.of('reportAcks').length).toBeGreaterThan(0);
    const { completed, active } = await queue.read();
    expect((completed as [string, number][]).map(([id]) => id).sort()).toEqual(['a', 'c']);
    expect(active).toEqual(['b']);
    worker.cut();
  });

  test('are answered one by one to a worker that does not ask for more', async () => {
    const { worker, reports } = await reporting([]);
    worker.send({ $case: 'reports', value: { reports, heartbeat: undefined } });
    await worker.waitFor('reportAck', 3);
    expect(worker.of('reportAcks')).toEqual([]);
    worker.cut();
  });

  test('may be none', async () => {
    const { worker, reports } = await reporting([]);
    worker.send({ $case: 'reports', value: { reports: [], heartbeat: undefined } });
    worker.send({ $case: 'reports', value: { reports, heartbeat: undefined } });
    await worker.waitFor('reportAck', 3);
    worker.cut();
  });

  test('are a thousand at most', async () => {
    const { queue, worker, reports } = await reporting([]);
    const many = Array.from({ length: 1_001 }, (_, at) => ({ ...reports[0], reportId: at + 1 }));
    worker.send({
      $case: 'reports',
      value: { reports: many as WorkReport[], heartbeat: undefined },
    });
    expect(await refused(worker.over)).toMatchObject({
      code: 'INVALID_ARGUMENT',
      reason: 'PROTOCOL_VIOLATION',
    });
    expect((await queue.read()).completed).toBeUndefined();
  });
});
