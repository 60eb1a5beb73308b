import {
  EchoMQError,
  type FetchOutcome,
  moveStalledJobsToWait,
  moveToActive,
  moveToFinished,
  QueueKeys,
  type Store,
} from '@echomq/core';
import type { QueueDump } from '@echomq/testkit';
import { checkBooks } from '../books/check-books.js';
import { checkHistory } from '../history/check-history.js';
import { History } from '../history/history.js';
import { told } from '../model/command.js';
import { commandOf } from '../model/drive.js';
import type { Plan } from '../model/plan.js';
import { LONG_MS, World } from '../model/world.js';

/** What clients alone saw, and the store at its end: no model has a say. */
export interface Witness {
  readonly history: readonly string[];
  readonly books: readonly string[];
}

/** Commands after which every job still ends once: nothing is removed or run again on purpose. */
export const PLAIN_OPS = new Set([
  ...[
    'add',
    'addMany',
    'fetch',
    'complete',
    'fail',
    'batch',
    'putOff',
    'retry',
    'giveBack',
    'renew',
  ],
  ...['expire', 'sweep', 'promote', 'promoteDue', 'changeDelay', 'changePriority', 'note'],
]);

/**
 * Carries plain commands out as clients do, who know only their answers; then works all off, and asks the checkers of
 * the history and of the books.
 *
 * @param read the whole queue
 */
export async function witness(
  store: Store,
  plans: readonly Plan[],
  read: (name: string) => Promise<QueueDump>,
): Promise<Witness> {
  const world = new World(store, {});
  await store.redis.send('FLUSHALL', []);
  await world.begin();
  let at = 0;
  const history = new History(() => (at += 1));
  const books = new Set<string>();
  for (const plan of plans.filter(({ op }) => PLAIN_OPS.has(op))) {
    world.now += plan.dt;
    const lease = world.lease(plan.lease);
    const ended = plan.moves.map((move) => (move.foreign ? undefined : world.lease(move.lease)));
    const before = new Map(world.leases.map(({ id, token }) => [token, id]));
    const command = commandOf(world, plain(plan));
    const answer = await command.real();
    command.learn?.(answer);
    note(history, { plan, answer, lease, ended, before, world });
    if (history.entries.length % 3 > 0) continue;
    for (const one of checkBooks(await read(world.queue.name), { beforeSweeps: true }))
      books.add(one);
  }
  await workOff(world, history);
  for (const one of checkBooks(await read(world.queue.name), { atRest: true, beforeSweeps: true }))
    books.add(one);
  return { history: checkHistory(history), books: [...books] };
}

/** Without parents, deduplication, retention, receipts and a queue's bounds. */
const plain = (plan: Plan): Plan => ({
  ...plan,
  ...{
    reply: 'comes',
    receipt: false,
    shade: plan.shade % 8,
    flag: plan.op === 'sweep' ? false : plan.flag,
  },
  adds: plan.adds.map((add) => ({ ...add, parent: 0, dedup: 0, keep: 0 })),
});

interface Seen {
  readonly plan: Plan;
  readonly answer: string;
  readonly lease: { readonly id: string; readonly token: string };
  /** Whose runs the moves of a batch end. */
  readonly ended: readonly ({ readonly id: string; readonly token: string } | undefined)[];
  readonly before: ReadonlyMap<string, string>;
  readonly world: World;
}

/** What an answer tells: who was accepted, whose run ended or is lost, who begins. */
function note(history: History, { plan, answer, lease, ended, before, world }: Seen): void {
  const { id: job, token: run } = lease;
  if (plan.op === 'add' || plan.op === 'addMany') {
    for (const one of answer.split('; ')) {
      const [id = '', outcome] = one.split(' ');
      if (outcome === 'created') history.note({ kind: 'accepted', job: id });
    }
  } else if (plan.op === 'expire') {
    // The lock of whoever holds the job now, the lease may be an older one.
    const holder = history.runsOf(job).at(-1);
    if (holder !== undefined) history.note({ kind: 'lost', job, run: holder });
  } else if (['complete', 'fail', 'putOff', 'retry', 'giveBack'].includes(plan.op)) {
    noteEnd(history, answer, { job, run });
  }
  if (plan.op === 'batch') {
    for (const [at, one] of answer.split('; ').entries()) {
      const of = ended[at];
      if (of && plan.moves[at]?.kind !== 'fetch')
        noteEnd(history, one, { job: of.id, run: of.token });
    }
  }
  for (const { id, token } of world.leases) {
    if (!before.has(token)) history.note({ kind: 'started', job: id, run: token });
  }
}

const ENDS = { completed: 'completed', failed: 'failed' } as const;

function noteEnd(
  history: History,
  answer: string,
  { job, run }: { readonly job: string; readonly run: string },
) {
  if (!history.runsOf(job).includes(run)) return;
  const [branch = ''] = answer.split(' ');
  if (branch === 'LOCK_LOST' || branch === 'LOCK_NOT_OWNED' || branch === 'JOB_NOT_FOUND') {
    history.note({ kind: 'lost', job, run });
  } else if (!/^[A-Z]/.test(branch)) {
    const end = ENDS[branch as keyof typeof ENDS] ?? 'again';
    history.note({ kind: 'ended', job, run, end });
  }
}

/** All locks run out, two sweeps come, everything is due, one worker takes and completes what there is. */
async function workOff(world: World, history: History): Promise<void> {
  const { store } = world;
  const queue = new QueueKeys('bull', world.queue.name);
  for (const id of world.ids) {
    const holder = history.runsOf(id).at(-1);
    if (holder !== undefined) history.note({ kind: 'lost', job: id, run: holder });
    await store.redis.send('DEL', [queue.lock(id)]);
  }
  await store.redis.send('DEL', [queue.limiter]);
  const sweep = () =>
    moveStalledJobsToWait(
      store,
      queue,
      { maxStalledCount: 99, stalledInterval: LONG_MS, force: true },
      world.now,
    );
  await sweep();
  await sweep();
  world.now += LONG_MS;
  for (let turn = 0; turn < 200; turn++) {
    const token = world.token();
    const taken = (await moveToActive(
      store,
      queue,
      { token, lockDuration: LONG_MS },
      world.now,
    )) as FetchOutcome;
    if (taken.kind !== 'job') return;
    const { id } = taken.job;
    history.note({ kind: 'started', job: id, run: token });
    const end = {
      jobId: id,
      target: 'completed',
      value: '1',
      fetchNext: false,
      options: { token },
    } as const;
    try {
      noteEnd(
        history,
        await told(moveToFinished(store, queue, end, world.now).then(({ branch }) => branch)),
        {
          job: id,
          run: token,
        },
      );
    } catch (error) {
      if (!(error instanceof EchoMQError)) throw error;
    }
  }
}
