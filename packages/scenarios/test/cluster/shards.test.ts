import { setTimeout as sleep } from 'node:timers/promises';
import {
  eventually,
  failoverShard,
  migrateSlot,
  ownerOf,
  slotOf,
  startCluster,
  useStarted,
} from '@echomq/testkit';
import { describe, expect, it } from 'vitest';
import {
  add,
  checkBooks,
  checkHistory,
  complete,
  finish,
  History,
  noteEnds,
  noting,
  PATIENCE_MS,
  RawError,
  takeOne,
  useRig,
} from '../../src/index.js';
import { queuePerNode, readIn } from './queues.js';

const cluster = useStarted(() => startCluster(3));
const rig = useRig({
  storeUrl: () =>
    `redis+cluster://${cluster.value.nodes.map(({ port }) => `127.0.0.1:${port}`).join()}`,
});

/** A load on one queue: a worker, and adds one after the other until told to stop. */
function load(queue: string) {
  const history = new History();
  const worker = rig.worker(
    queue,
    noting(history, 'w', () => sleep(1)),
    { concurrency: 5, lockDuration: 10_000 },
  );
  noteEnds(history, 'w', worker);
  const raw = rig.raw();
  const failures: RawError[] = [];
  let over = false;
  const adding = (async () => {
    while (!over) {
      try {
        history.note({ kind: 'accepted', job: await add(raw, queue) }, 0);
      } catch (error) {
        if (!(error instanceof RawError)) throw error;
        failures.push(error);
      }
      await sleep(10);
    }
  })();
  return {
    history,
    failures,
    async end() {
      over = true;
      await adding;
      // An add whose answer was lost may have been made: then its job runs and nobody has noted it.
      const doubtful = failures.filter(({ reason }) => reason === 'OUTCOME_UNKNOWN').length;
      await eventually(() => {
        const problems = checkHistory(history);
        const unknown = problems.filter((problem) => problem.endsWith('was never accepted'));
        expect(problems.filter((problem) => !unknown.includes(problem))).toEqual([]);
        expect(unknown.length).toBeLessThanOrEqual(doubtful);
      }, PATIENCE_MS);
      await worker.close();
    },
  };
}

describe('a cluster', () => {
  it('T038 auto-pipelining groups by wrong argument: calls for twenty queues in one turn all succeed', async () => {
    const raw = rig.raw();
    const queues = Array.from({ length: 20 }, (_, at) => `q${at}-${Date.now()}`);
    const ids = await Promise.all(queues.map((queue) => add(raw, queue)));
    const jobs = await Promise.all(queues.map((queue) => takeOne(raw, queue)));
    expect(jobs.map(({ lease }) => lease.queue)).toEqual(queues);
    await Promise.all(jobs.map((job) => finish(raw, job, complete())));
    for (const [at, queue] of queues.entries()) {
      const state = await readIn(cluster.value, `{${queue}}`);
      expect(checkBooks(state, { accepted: [ids[at] ?? ''], atRest: true })).toEqual([]);
    }
  });

  it('T041 cross slot: a slot that moves to another node under load loses nothing', async () => {
    const [queue = ''] = await queuePerNode(cluster.value);
    const under = load(queue);
    await eventually(() => expect(under.history.count('ended')).toBeGreaterThan(10), PATIENCE_MS);
    const slot = await slotOf(cluster.value.nodes[0] as never, `{${queue}}`);
    const to = ((await ownerOf(cluster.value, slot)) + 1) % 3;
    await migrateSlot(cluster.value, slot, { to });
    const ended = under.history.count('ended');
    await eventually(
      () => expect(under.history.count('ended')).toBeGreaterThan(ended + 10),
      PATIENCE_MS,
    );
    await under.end();
    const state = await readIn(cluster.value, `{${queue}}`);
    expect(checkBooks(state, { atRest: true })).toEqual([]);
  });

  it('T036 cluster redirect loop: a shard that fails over recovers, and the others never notice', async () => {
    const queues = await queuePerNode(cluster.value);
    const replica = await cluster.value.addReplica(2);
    const loads = queues.map(load);
    const ended = (at: number) => loads[at]?.history.count('ended') ?? 0;
    await eventually(() => {
      for (const at of [0, 1, 2]) expect(ended(at)).toBeGreaterThan(5);
    }, PATIENCE_MS);
    cluster.value.nodes[2]?.kill('SIGKILL');
    await failoverShard(replica, 'takeover');
    const before = [0, 1, 2].map(ended);
    await eventually(() => {
      for (const at of [0, 1, 2]) expect(ended(at)).toBeGreaterThan((before[at] ?? 0) + 10);
    }, PATIENCE_MS);
    expect(loads.slice(0, 2).flatMap(({ failures }) => failures)).toEqual([]);
    for (const one of loads.slice(0, 2)) await one.end();
    // What the dead primary acknowledged and its replica had not got is gone with it; what is there runs on.
    const last = loads[2];
    await last?.end().catch(() => {});
    const state = await readIn(cluster.value, `{${queues[2]}}`);
    expect(checkBooks(state, { beforeSweeps: true })).toEqual([]);
  });
});
