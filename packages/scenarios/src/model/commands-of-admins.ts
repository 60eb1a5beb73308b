import {
  addJobScheduler,
  cancelJob,
  changeDelay,
  changePriority,
  cleanJobsInSet,
  drain,
  moveJobsToWait,
  moveStalledJobsToWait,
  pause,
  promote,
  promoteDueJobs,
  removeChildDependency,
  removeDeduplicationKey,
  removeJob,
  removeJobScheduler,
  removeUnprocessedChildren,
  reprocessJob,
  resume,
  updateJobScheduler,
} from '@echomq/core';
import * as model from './admin.js';
import { type MakeCommand, told } from './command.js';
import { sweep } from './moves.js';
import { follow, unschedule, upsert } from './schedules.js';
import { LONG_MS, type World } from './world.js';

const STATES = ['completed', 'failed'] as const;
const CLEANED = ['completed', 'failed', 'waiting', 'active', 'delayed'] as const;
const PRIORITIES = [0, 1, 2];
const DELAYS = [1, 1_000, 30_000];
const at = <T>(values: readonly T[], place: number): T => values[place % values.length] as T;

interface OnJob {
  readonly id: string;
  readonly shade: number;
  readonly flag: boolean;
  readonly now: number;
}

/** A command on one job. */
const ofJob =
  (
    real: (world: World, on: OnJob) => Promise<unknown>,
    said: (world: World, on: OnJob) => string,
  ): MakeCommand =>
  (world, { job, shade, flag }) => {
    const id = world.id(job);
    const { now } = world;
    return {
      real: () => told(real(world, { id, shade, flag, now })),
      model: () => said(world, { id, shade, flag, now }),
    };
  };

export const promoteCommand = ofJob(
  ({ store, queue }, { id }) => promote(store, queue, id),
  (world, { id }) => model.promote(world.model, id),
);

export const changeDelayCommand = ofJob(
  ({ store, queue }, { id: jobId, shade, now }) =>
    changeDelay(store, queue, { jobId, until: { delayMs: at(DELAYS, shade) } }, now),
  (world, { id, shade, now }) => model.changeDelay(world.model, id, at(DELAYS, shade), now),
);

export const changePriorityCommand = ofJob(
  ({ store, queue }, { id: jobId, shade, flag: lifo }) =>
    changePriority(store, queue, { jobId, priority: at(PRIORITIES, shade), lifo }),
  (world, { id, shade, flag: lifo }) =>
    model.changePriority(world.model, id, at(PRIORITIES, shade), lifo),
);

export const cancel = ofJob(
  async ({ store, queue, metrics }, { id: jobId, flag: force, now }) => {
    const how = { jobId, force, maxMetricsSize: metrics };
    const { kind, location, token = '' } = await cancelJob(store, queue, how, now);
    return `${kind} ${location} ${token}`;
  },
  (world, { id, flag: force, now }) => model.cancel(world.model, id, force, now),
);

export const remove = ofJob(
  ({ store, queue }, { id: jobId, shade, flag: removeChildren }) =>
    removeJob(store, queue, { jobId, force: shade % 2 === 0, removeChildren }),
  (world, { id, shade, flag: children }) =>
    model.remove(world.model, id, { force: shade % 2 === 0, children }),
);

export const removeUnprocessed = ofJob(
  ({ store, queue }, { id }) => removeUnprocessedChildren(store, queue, id),
  (world, { id }) => model.removeUnprocessed(world.model, id),
);

export const reprocess = ofJob(
  ({ store, queue }, { id: jobId, shade, flag: resetAttempts }) =>
    reprocessJob(store, queue, { jobId, state: at(STATES, shade), resetAttempts }),
  (world, { id, shade, flag: reset }) => model.reprocess(world.model, id, at(STATES, shade), reset),
);

/** Cuts a child from its parent, or from somebody else. */
export const cut: MakeCommand = (world, { job, flag }) => {
  const id = world.id(job);
  const parent = flag ? world.id(job + 1) : (world.model.jobs.get(id)?.parent?.id ?? 'nobody');
  return {
    real: () =>
      told(
        removeChildDependency(world.store, world.queue, {
          jobId: id,
          parentKey: world.queue.job(parent),
        }),
      ),
    model: () => model.cut(world.model, id, parent),
  };
};

export const promoteDue: MakeCommand = (world) => {
  const { now } = world;
  return {
    real: async () => String((await promoteDueJobs(world.store, world.queue, now)).moved),
    model: () => model.promoteAll(world.model, now),
  };
};

export const moveAll: MakeCommand = (world, { shade }) => {
  const state = at([...STATES, 'delayed'] as const, shade);
  const limit = shade % 4 === 0 ? 1 : 50;
  return {
    real: async () => {
      const { moved, more } = await moveJobsToWait(world.store, world.queue, { state, limit });
      return `${moved} ${more}`;
    },
    model: () => model.moveAll(world.model, state, limit),
  };
};

export const drainCommand: MakeCommand = (world, { flag }) => ({
  steps: true,
  real: () => told(drain(world.store, world.queue, flag)),
  model: () => model.drain(world.model, flag),
});

export const clean: MakeCommand = (world, { shade, flag }) => {
  const state = at(CLEANED, shade);
  const olderThan = world.now - (flag ? 0 : 1_000);
  const limit = shade % 3 === 0 ? 1 : 50;
  return {
    real: async () =>
      (await cleanJobsInSet(world.store, world.queue, { state, olderThan, limit })).join(),
    model: () => model.clean(world.model, state, olderThan, limit),
  };
};

export const pauseCommand: MakeCommand = (world) => ({
  real: () => told(pause(world.store, world.queue)),
  model: () => model.setPaused(world.model, true),
});

export const resumeCommand: MakeCommand = (world) => ({
  steps: true,
  real: () => told(resume(world.store, world.queue)),
  model: () => model.setPaused(world.model, false),
});

/** The stalled sweep. */
export const sweepCommand: MakeCommand = (world, { shade, flag }) => {
  const options = { maxStalls: shade % 2, force: !flag, most: shade % 5 === 0 ? 1 : 50 };
  const { now } = world;
  return {
    real: async () => {
      const { recovered, failed, more } = await moveStalledJobsToWait(
        world.store,
        world.queue,
        {
          ...{ maxStalledCount: options.maxStalls, stalledInterval: LONG_MS },
          ...{ force: options.force, maxMoved: options.most, maxMetricsSize: world.metrics },
        },
        now,
      );
      return `${recovered.join()} | ${failed.join()} | ${more ? 1 : 0}`.trimStart();
    },
    model: (order) => sweep(world.model, options, order, now).trimStart(),
  };
};

const SCHEDULERS = ['s1', 's2'];
const template = (id: string) => ({ head: '', repeatHead: '"every":1', jsonId: id, data: '{}' });
const scheduled = (
  run: { readonly jobId: string; readonly delayMs: number; readonly dueAt: number } | undefined,
) => run && `${run.jobId} ${run.delayMs} ${run.dueAt}`;

export const schedule: MakeCommand = (world, { shade, flag }) => {
  const schedulerId = at(SCHEDULERS, shade);
  const every = flag ? 1_000 : 7_000;
  const { now } = world;
  return {
    real: () =>
      told(
        addJobScheduler(
          world.store,
          world.queue,
          { schedulerId, schedule: { name: 'n', every }, template: template(schedulerId) },
          now,
        ).then(scheduled),
      ),
    model: () => upsert(world.model, schedulerId, every, now),
    learn: (answer) => world.learn(answer.split(' ')[0] ?? ''),
  };
};

/** Whoever has taken a run makes the next; others do so to no effect. */
export const followCommand: MakeCommand = (world, { lease, shade }) => {
  const jobId = world.lease(lease).id;
  const schedulerId = jobId.split(':')[1] ?? at(SCHEDULERS, shade);
  const { now } = world;
  return {
    real: () =>
      told(
        updateJobScheduler(
          world.store,
          world.queue,
          { schedulerId, jobId, template: template(schedulerId) },
          now,
        ).then(scheduled),
      ),
    model: () => follow(world.model, schedulerId, jobId, now),
    learn: (answer) => {
      if (answer !== 'undefined') world.learn(answer.split(' ')[0] ?? '');
    },
  };
};

export const unscheduleCommand: MakeCommand = (world, { shade }) => {
  const id = at(SCHEDULERS, shade);
  return {
    real: () => told(removeJobScheduler(world.store, world.queue, id)),
    model: () => unschedule(world.model, id),
  };
};

/** Frees a deduplication id, whoever holds it or only if that is the job. */
export const freeId: MakeCommand = (world, { job, flag, shade }) => {
  const id = at(['d', 'e'], shade);
  const owner = flag ? world.id(job) : '';
  return {
    real: () => told(removeDeduplicationKey(world.store, world.queue, id, owner)),
    model() {
      const stands = world.model.owners.get(id);
      if (!stands || (owner !== '' && stands.id !== owner)) return 'false';
      world.model.owners.delete(id);
      return 'true';
    },
  };
};
