import {
  addLogs,
  extendLock,
  extendLocks,
  type Finish,
  moveJobFromActiveToWait,
  moveToActive,
  moveToDelayed,
  moveToFinished,
  moveToWaitingChildren,
  type Receipt,
  retryJob,
  updateProgress,
} from '@echomq/core';
import { broughtBy, clocked, fetched, finished, type MakeCommand, told } from './command.js';
import { receiptOf } from './commands-of-producers.js';
import { endCommand } from './end-command.js';
import { CLOCK } from './lines.js';
import {
  finish,
  giveBack,
  held,
  type Lease,
  type ModelFinish,
  park,
  putOff,
  renew,
  retry,
} from './moves.js';
import type { Plan } from './plan.js';
import { take } from './takes.js';
import { LONG_MS, type World } from './world.js';

/** What fetches and ends have in common. */
export const termsOf = ({ metrics }: World) => ({ lockDuration: LONG_MS, maxMetricsSize: metrics });

/** Takes a job. */
export const fetch: MakeCommand = (world, plan) => {
  const token = world.token();
  const buffered = plan.shade % 5 === 0;
  const { now } = world;
  return {
    looks: true,
    real: () =>
      told(
        moveToActive(world.store, world.queue, { token, buffered, ...termsOf(world) }, now).then(
          fetched,
        ),
      ),
    model: () => clocked(take(world.model, { token, buffered }, now).answer),
    learn: (answer) => learnFetched(world, answer, token),
  };
};

/** Ends a run, with another job or not, perhaps with a lease that is not its own. */
const ending =
  (target: 'completed' | 'failed'): MakeCommand =>
  (world, plan) => {
    const lease = leaseOf(world, plan);
    const nextToken = world.token();
    const end: ModelFinish = {
      ...lease,
      target,
      next: plan.flag ? { token: nextToken, buffered: plan.shade % 5 === 0 } : undefined,
    };
    const receipt = plan.receipt ? receiptOfEnd(world, plan) : undefined;
    const { now } = world;
    return endCommand(world, plan, {
      ...{ lease, nextToken, receipt },
      real: () =>
        moveToFinished(
          world.store,
          world.queue,
          finishOf(world, end, { nextToken, receipt }),
          now,
        ).then(finished),
      model: () => finish(world.model, end, now),
    });
  };

export const complete = ending('completed');
export const fail = ending('failed');

/** Puts a held job off. */
export const putOffCommand: MakeCommand = (world, plan) => {
  const lease = leaseOf(world, plan);
  const nextToken = world.token();
  const delay = [0, 1, 500, 20_000][plan.shade % 4] ?? 0;
  const skip = plan.shade % 3 === 0;
  const next = plan.flag ? { token: nextToken, buffered: plan.shade % 5 === 0 } : undefined;
  const receipt = plan.receipt ? receiptOf(world) : undefined;
  const { now } = world;
  return endCommand(world, plan, {
    ...{ lease, nextToken, receipt },
    real: () =>
      moveToDelayed(
        world.store,
        world.queue,
        {
          ...{
            jobId: lease.id,
            token: lease.token,
            until: { delayMs: delay },
            skipAttempt: skip,
            maxMetricsSize: world.metrics,
          },
          ...(next ? { fetchNext: { ...next, ...termsOf(world) } } : {}),
          ...(receipt && { receipt }),
        },
        now,
      ).then(finished),
    model: () => putOff(world.model, { ...lease, delay, skip, next }, now),
  });
};

/** Tries a held job again at once. */
export const retryCommand: MakeCommand = (world, plan) => {
  const lease = leaseOf(world, plan);
  const { now } = world;
  return endCommand(
    world,
    { ...plan, flag: false },
    {
      ...{ lease, nextToken: '', receipt: undefined },
      real: async () =>
        String(
          await retryJob(
            world.store,
            world.queue,
            { jobId: lease.id, token: lease.token, reason: 'boom', maxMetricsSize: world.metrics },
            now,
          ),
        ),
      model: () => retry(world.model, lease, now),
    },
  );
};

/** Gives a held job back unrun, or one that nobody has begun. */
export const giveBackCommand: MakeCommand = (world, plan) => {
  const lease = leaseOf(world, plan);
  const limit = plan.shade % 6 === 0;
  const unbegun = plan.shade % 2 === 0 ? { run: world.runOf(lease) } : {};
  return endCommand(
    world,
    { ...plan, flag: false },
    {
      ...{ lease, nextToken: '', receipt: undefined },
      real: async () => {
        const answer = await moveJobFromActiveToWait(world.store, world.queue, {
          ...{
            jobId: lease.id,
            token: lease.token,
            toBack: plan.flag,
            maxMetricsSize: world.metrics,
          },
          ...('run' in unbegun ? { unbegunRun: String(unbegun.run) } : {}),
          ...(limit ? { limitMs: LONG_MS } : {}),
        });
        if (typeof answer !== 'number') return finished(answer);
        return answer > 0 ? 'limited' : 'free';
      },
      model: () => giveBack(world.model, { ...lease, ...unbegun, toBack: plan.flag, limit }, CLOCK),
    },
  );
};

/** Parks a held parent. */
export const parkCommand: MakeCommand = (world, plan) => {
  const lease = leaseOf(world, plan);
  const { now } = world;
  return endCommand(
    world,
    { ...plan, flag: false },
    {
      ...{ lease, nextToken: '', receipt: undefined },
      real: async () => {
        const answer = await moveToWaitingChildren(
          world.store,
          world.queue,
          { jobId: lease.id, token: lease.token, maxMetricsSize: world.metrics },
          now,
        );
        return typeof answer === 'boolean' ? String(answer) : finished(answer);
      },
      model: () => park(world.model, lease, now),
    },
  );
};

/** Renews one lease, or some. */
export const renewCommand: MakeCommand = (world, plan) => {
  const one = leaseOf(world, plan);
  if (plan.flag) {
    return {
      real: () => told(extendLock(world.store, world.queue, { ...one, lockDuration: LONG_MS })),
      model: () => {
        const answer = renew(world.model, [one], false);
        if (answer === 'JOB_NOT_FOUND') return 'LOCK_LOST';
        return answer === 'LOCK_LOST' || answer === 'LOCK_NOT_OWNED' ? answer : 'undefined';
      },
    };
  }
  const leases = [one, world.lease(plan.lease + 1)];
  const begun = plan.shade % 2 === 0;
  return {
    real: () =>
      told(
        extendLocks(
          world.store,
          world.queue,
          leases.map((lease) => ({ ...lease, lockDuration: LONG_MS, begun })),
        ).then((answers) => answers.join(' ')),
      ),
    model: () => renew(world.model, leases, begun),
  };
};

/** Tells progress, or a row of the log. */
export const note: MakeCommand = (world, plan) => {
  const lease = leaseOf(world, plan);
  const of = { jobId: lease.id, token: lease.token };
  return {
    real: () =>
      told(
        plan.flag
          ? updateProgress(world.store, world.queue, { ...of, progress: '7' })
          : addLogs(world.store, world.queue, { ...of, rows: ['row'], keep: 3 }),
      ),
    model() {
      const job = held(world.model, lease);
      if (typeof job === 'string') return job;
      if (plan.flag) {
        job.progress = '7';
        world.model.emit('progress', job.id);
        return 'undefined';
      }
      job.logs = Math.min(3, job.logs + 1);
      return String(job.logs);
    },
  };
};

/** An end as core takes it. */
export function finishOf(
  world: World,
  end: ModelFinish,
  {
    nextToken,
    receipt,
    inBatch = false,
  }: {
    readonly nextToken: string;
    readonly receipt?: Receipt | undefined;
    readonly inBatch?: boolean;
  },
): Finish {
  return {
    jobId: end.id,
    target: end.target,
    value: end.target === 'completed' ? '"ok"' : 'boom',
    fetchNext: end.next !== undefined,
    options: {
      ...{ token: end.token, nextToken, ...termsOf(world) },
      // An ordinary end goes the short way alone with it, in a batch without it.
      ...(end.target === 'failed' || !inBatch ? { retry: { mode: 'DEFAULT' as const } } : {}),
      ...(end.next?.buffered && { buffered: true }),
      ...(receipt && { receipt }),
    },
  };
}

/** A key of its own, or a field among those of a session, which ordinary ends keep in the short way. */
function receiptOfEnd(world: World, { shade }: Plan): Receipt {
  return shade % 2 === 0 ? receiptOf(world) : { ...receiptOf(world), field: '1' };
}

function leaseOf(world: World, plan: Plan): Lease {
  const lease = world.lease(plan.lease);
  return plan.shade % 9 === 8 ? { id: lease.id, token: 'somebody' } : lease;
}

function learnFetched(world: World, answer: string, token: string): void {
  const id = broughtBy(answer);
  if (id) world.learn(id, token);
}
