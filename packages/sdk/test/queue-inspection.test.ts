import { expect, it } from 'vitest';
import { QueueNotFound, Worker } from '../src/index.js';
import { overBoth } from './places.js';

overBoth('a queue that is looked through', (place) => {
  it('tells what is broken, after a second look where it may be a moment, and mends it', async () => {
    const queue = place.queue();
    await queue.add('sound', {});
    const client = place.redis.client;
    const key = (suffix: string) => `bull:${queue.name}:${suffix}`;
    expect(await queue.inspect({ settleMs: 0 })).toEqual([]);
    await client.lpush(key('wait'), 'ghost');
    await client.hset(key('lost'), { name: 'n', data: '{}', opts: '{}', timestamp: '1' });
    await client.del(key('marker'));
    let looked = 0;
    const onProgress = (count: number) => {
      looked = count;
    };
    const faults = await queue.inspect({ settleMs: 10, onProgress });
    expect(faults.map(({ kind, subject }) => [kind, subject])).toEqual([
      ['job-missing', 'ghost'],
      ['job-lost', 'lost'],
      ['marker-missing', 'marker'],
    ]);
    expect(faults[0]).toMatchObject({ why: 'it stands in wait, and there is no job' });
    expect(looked).toBeGreaterThan(3);
    const repairs = await queue.repair(faults);
    expect(repairs.map(({ done }) => done)).toEqual([
      'removed the id',
      'put back into wait',
      undefined,
    ]);
    expect(repairs[0]?.fault).toBe(faults[0]);
    expect(await queue.inspect({ settleMs: 0 })).toEqual([]);
    expect(await queue.getJobCounts('waiting')).toEqual({ waiting: 2 });
  });

  it('shows nothing broken while it is worked off, whenever it is looked at', async () => {
    const queue = place.queue();
    const opts = { attempts: 2, removeOnComplete: 50 };
    const jobs = Array.from({ length: 300 }, (_, n) => ({ name: 'n', data: n, opts }));
    await queue.addBulk(jobs);
    await queue.upsertJobScheduler('tick', { every: 50 });
    let runs = 0;
    const worker = new Worker(
      queue.name,
      async (job) => {
        runs += 1;
        if (runs % 7 === 0 && job.attemptsMade === 0) throw new Error('once more');
        await job.updateProgress(runs);
      },
      { connection: queue.connection, concurrency: 5 },
    );
    const found = [];
    for (let look = 0; look < 20 && (look < 3 || runs < 300); look += 1) {
      found.push(...(await queue.inspect({ settleMs: 200 })));
    }
    await worker.close();
    expect(found).toEqual([]);
    expect(runs).toBeGreaterThan(0);
  });

  it('is none that nobody knows', async () => {
    await expect(place.queue().inspect()).rejects.toThrow(QueueNotFound);
  });
});
