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
import { describe, expect, it, onTestFinished } from 'vitest';
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
  const stop = async () => {
    over = true;
    await adding;
  };
  return {
    history,
    failures,
    stop,
    async end() {
      await stop();
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

/** What may be tried again: it did not happen, or it is not known. */
const RETRYABLE = ['UNAVAILABLE BACKEND_UNAVAILABLE', 'UNKNOWN OUTCOME_UNKNOWN'];

/** A load on a queue of each node, once all have got going. `more` waits until so many more jobs of some have ended. */
async function loadEach() {
  const queues = await queuePerNode(cluster.value);
  const loads = queues.map(load);
  onTestFinished(async () => {
    await Promise.all(loads.map((each) => each.stop()));
  });
  const ended = (at: number) => loads[at]?.history.count('ended') ?? 0;
  const more = async (count: number, which: readonly number[]) => {
    const before = which.map(ended);
    await eventually(() => {
      for (const [n, at] of which.entries()) {
        expect(ended(at)).toBeGreaterThan((before[n] ?? 0) + count);
      }
    }, PATIENCE_MS);
  };
  await more(5, [0, 1, 2]);
  return { queues, loads, more };
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

  it('T036 cluster redirect loop: a shard whose primary is demoted under load, and raised again, loses nothing, and the others never notice', async () => {
    const { queues, loads, more } = await loadEach();
    const replica = await cluster.value.addReplica(1);
    // The old primary stays, with every connection to it, and says where its slots are now.
    await failoverShard(replica);
    await more(10, [0, 1, 2]);
    await failoverShard(cluster.value.nodes[1] as never);
    await more(10, [0, 1, 2]);
    expect([0, 2].flatMap((at) => loads[at]?.failures ?? []).map(String)).toEqual([]);
    for (const { status, reason } of loads[1]?.failures ?? []) {
      expect(RETRYABLE).toContain(`${status} ${reason}`);
    }
    for (const [at, one] of loads.entries()) {
      await one.end();
      const state = await readIn(cluster.value, `{${queues[at]}}`);
      expect(checkBooks(state, { atRest: true })).toEqual([]);
    }
  });

  it('T036 cluster redirect loop: a shard whose primary dies under load recovers, and the others never notice', async () => {
    // Else the servers themselves refuse every queue while a slot has no primary.
    for (const node of cluster.value.connect().nodes('master')) {
      await node.config('SET', 'cluster-require-full-coverage', 'no');
    }
    const { queues, loads, more } = await loadEach();
    await cluster.value.addReplica(2);
    cluster.value.nodes[2]?.kill('SIGKILL');
    // Nobody is told: the others go on while it is gone, and its replica is elected by itself.
    await more(50, [0, 1]);
    await more(10, [0, 1, 2]);
    expect([0, 1].flatMap((at) => loads[at]?.failures ?? []).map(String)).toEqual([]);
    for (const { status, reason } of loads[2]?.failures ?? []) {
      expect(RETRYABLE).toContain(`${status} ${reason}`);
    }
    for (const one of loads.slice(0, 2)) await one.end();
    await loads[2]?.stop();
    // What the dead primary acknowledged and its replica had not got is gone with it; what is there comes to its end.
    await eventually(async () => {
      const state = await readIn(cluster.value, `{${queues[2]}}`);
      expect(checkBooks(state, { atRest: true })).toEqual([]);
    }, PATIENCE_MS);
  });
});
