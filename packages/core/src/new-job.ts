import { ContractBroken } from './errors.js';
import type { RedisReply } from './redis-client.js';

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
}

/** What an add did. */
export interface AddOutcome {
  readonly jobId: string;
  /** `existing`: a job with the custom id stood there already and was left as it is. */
  readonly outcome: 'created' | 'existing';
  /** Where a created job stands. */
  readonly state?: 'waiting' | 'prioritized' | 'delayed';
}

/** Reads { id, 'created' | 'existing', location or '' }. */
export function addOutcome(reply: RedisReply): AddOutcome {
  if (!Array.isArray(reply)) throw new ContractBroken('an add answered no array');
  const [jobId, outcome, state] = reply.map(String);
  return {
    jobId: jobId as string,
    outcome: outcome === 'existing' ? 'existing' : 'created',
    ...(state ? { state: state as NonNullable<AddOutcome['state']> } : {}),
  };
}

/** The parent's part of an add's arguments. */
export function parentArgs(job: NewJob): { parentKey?: string; parent?: string } {
  return job.parent ? { parentKey: job.parent.key, parent: job.parent.json } : {};
}
