import type { Script } from '@echomq/lua';
import { ContractBroken } from './errors.js';
import type { QueueKeys } from './keys.js';
import { accepted } from './outcomes.js';
import { type Receipt, replayedAnswer } from './receipts.js';
import type { RedisReply } from './redis-client.js';
import { limitFacts, rejectionOf, TransitionRejected } from './rejections.js';

/** A job to add. */
export interface NewJob {
  /** An id of the producer's own; absent or empty: the queue's counter gives one. */
  readonly customId?: string;
  readonly name: string | Uint8Array;
  /** JSON text. */
  readonly data: string | Uint8Array;
  /** JSON text of the options with BullMQ's short names. */
  readonly opts: string | Uint8Array;
  /** When it was created, ms since the epoch; absent (production) asks Redis. */
  readonly timestamp?: number;
  /** Milliseconds to wait first. */
  readonly delay?: number;
  /** The instant to wait for, ms since the epoch, instead of a delay. */
  readonly dueAt?: number;
  /** 1 (first) to 2097151; 0 for none, which runs before all of them. */
  readonly priority?: number;
  /** Run next among those without a priority. */
  readonly lifo?: boolean;
  /** The parent that waits for it. */
  readonly parent?: { readonly key: string; readonly json: string };
  /** Keeps a second job with the same id out. */
  readonly deduplication?: Deduplication;
  /** Makes a repeated add answer as the first did. In a batch or a tree the whole has one instead. */
  readonly receipt?: Receipt;
}

/** One job per deduplication id, in BullMQ's modes. */
export interface Deduplication {
  readonly id: string;
  /** The id stays taken for so many ms; absent: until its owner has ended. */
  readonly ttl?: number;
  /** Each further add begins the ttl anew. */
  readonly extend?: boolean;
  /** A further add replaces the owner while that is delayed. */
  readonly replace?: boolean;
  /** A further add while the owner runs is kept (the last one only) and added when the owner ends. The ttl is ignored. */
  readonly keepLastIfActive?: boolean;
  /** A further add moves a delayed owner to its own due time. */
  readonly reschedule?: boolean;
}

/**
 * What became of an add. `existing`: a job with the custom id stood there and was left as it is. `deduplicated`: the
 * owner of the deduplication id stands instead. `replaced`: the delayed owner went, this job stands. `kept`: it will be
 * added when the running owner ends.
 */
export type AddResult = 'created' | 'existing' | 'deduplicated' | 'replaced' | 'kept';

/** What an add did. */
export interface AddOutcome {
  /** The job that stands for the add: the new one, or the one in its way. */
  readonly jobId: string;
  readonly outcome: AddResult;
  /** Where a new job stands. */
  readonly state?: 'waiting' | 'prioritized' | 'delayed';
  /** The job that stood in the way, or was replaced. */
  readonly existingJobId?: string;
  /** The answer is that of an earlier call of the same request; nothing was added for this one. */
  readonly replayed?: true;
}

/**
 * Reads the answer of a script that adds one job.
 *
 * @throws TransitionRejected, for a limit of the queue with what there is and what is allowed.
 */
export function acceptedAdd(script: Script, reply: RedisReply, queue: QueueKeys): AddOutcome {
  const reason = Array.isArray(reply) ? rejectionOf(reply[0]) : undefined;
  if (reason !== undefined && Array.isArray(reply)) {
    const facts = limitFacts(reply);
    throw new TransitionRejected(script.name, reason, { queue: queue.name }, facts);
  }
  return addOutcome(accepted(script, reply, { queue }));
}

/**
 * Reads the id alone of a new job that waits, or { id, outcome, location or '', id in the way or '' }, also as an answer
 * that was given before.
 */
export function addOutcome(reply: RedisReply): AddOutcome {
  if (typeof reply === 'string' || reply instanceof Uint8Array) {
    return { jobId: String(reply), outcome: 'created', state: 'waiting' };
  }
  const before = replayedAnswer(reply);
  if (before !== undefined) return { ...addOutcome(before), replayed: true };
  if (!Array.isArray(reply)) throw new ContractBroken('an add answered no array');
  const [jobId, outcome, state, existing] = reply.map(String);
  // What nearly all are.
  if (outcome === 'created' && state === 'waiting' && !existing) {
    return { jobId: jobId as string, outcome, state };
  }
  return {
    jobId: jobId as string,
    outcome: outcome as AddResult,
    ...(state ? { state: state as NonNullable<AddOutcome['state']> } : {}),
    ...(existing ? { existingJobId: existing } : {}),
  };
}

/** The parts of an add's arguments that not every job has. */
export interface Relations {
  parentKey?: string;
  parent?: string;
  deduplication?: Deduplication;
  receipt?: Receipt;
}

/** Puts those that the job has into the arguments of its add. */
export function related<Args extends object>(args: Args, job: NewJob): Args & Relations {
  const all: Args & Relations = args;
  if (job.parent) {
    all.parentKey = job.parent.key;
    all.parent = job.parent.json;
  }
  if (job.deduplication) all.deduplication = job.deduplication;
  if (job.receipt) all.receipt = job.receipt;
  return all;
}

/** A job as a batch carries it. */
export type LinkedJob = Omit<NewJob, 'parent'> & {
  readonly parentKey?: string;
  readonly parent?: string;
};

/** The job with its parent in two texts; one without a parent is passed on as it is. */
export function linked(job: NewJob): LinkedJob {
  const { parent } = job;
  if (!parent) return job as Omit<NewJob, 'parent'>;
  const { parent: _, ...rest } = job;
  return { ...rest, parentKey: parent.key, parent: parent.json };
}
