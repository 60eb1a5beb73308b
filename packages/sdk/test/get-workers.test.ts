import { eventually } from '@echomq/testkit';
import { expect, it } from 'vitest';
import { SDK_VERSION, Worker } from '../src/index.js';
import { overBoth } from './places.js';

overBoth('getWorkers', (place) => {
  it('tells who works on a queue until it has left', async () => {
    const queue = place.queue();
    expect(await queue.getWorkers()).toEqual([]);
    const ada = place.worker(queue, () => 1, {
      name: 'ada',
      labels: { zone: 'a' },
      concurrency: 3,
    });
    const other = place.queue(queue.connection);
    const both = new Worker([queue.name, other.name], () => 1, {
      connection: queue.connection,
      name: 'both',
    });
    await eventually(async () => expect(await queue.getWorkersCount()).toBe(2));
    const workers = await queue.getWorkers();
    const [one, two] = workers.toSorted((a, b) => a.name.localeCompare(b.name));
    expect(one).toMatchObject({
      name: 'ada',
      workerId: 'ada',
      pid: process.pid,
      sdk: { language: 'typescript', version: SDK_VERSION },
      labels: { zone: 'a' },
      queues: [queue.name],
      load: { running: 0, capacity: 3 },
      held: [],
    });
    expect(Math.abs((one?.startedAt ?? 0) - Date.now())).toBeLessThan(60_000);
    expect(one?.lastHeartbeatAt).toBeGreaterThanOrEqual((one?.startedAt ?? 0) - 1_000);
    expect(two?.queues).toEqual([queue.name, other.name].sort());
    await eventually(async () => {
      const all = await queue.connection.getWorkers().all();
      const sessions = new Set(all.map(({ sessionId }) => sessionId));
      expect([one, two].every((worker) => sessions.has(worker?.sessionId ?? ''))).toBe(true);
    });
    await both.close();
    await eventually(async () => {
      expect((await queue.getWorkers()).map(({ name }) => name)).toEqual(['ada']);
    });
    await ada.close();
    await eventually(async () => expect(await queue.getWorkers()).toEqual([]));
  });
});
