import { ContractBroken } from './errors.js';
import { jobFromFlat, type StoredJob } from './job-fields.js';
import type { RedisReply } from './redis-client.js';

/**
 * Where a request that may come again leaves its answer: a field of a hash, or a string. A transition that finds it there answers
 * with it and changes nothing; one that does not writes it in the same script as the change.
 */
export interface Receipt {
  /** {@link QueueKeys.sessionReceipts} or {@link QueueKeys.requestReceipts}. */
  readonly key: string;
  /** Absent: the key is a string. */
  readonly field?: string;
  /** Of the request's body: a receipt of another body refuses the request. */
  readonly digest: string;
  /** How long the hash stays after its last write, ms. */
  readonly ttl: number;
  /** The hash belongs to one request of several parts: all its fields are of the same body. */
  readonly whole?: boolean;
  /** Fields that nobody will ask for again; they are deleted with the write. At most some thousand. */
  readonly acked?: readonly string[];
  /**
   * The field is a slot: one call after the other uses it, and no other before that one's answer is known. The number of
   * this call, higher than that of those before. The digest counts for nothing.
   */
  readonly seq?: number;
  /** The field is a slot, as with {@link seq}, and the digest is the call's number: another one is of an earlier call. */
  readonly slot?: boolean;
  /** No attempt of this call was made before: nobody looks for its receipt. */
  readonly fresh?: boolean;
  /** Not long ago a write has said that the hash stays: said again only if it is found to have lost the field. */
  readonly said?: boolean;
}

/** The receipt of a fetch: the jobs that the pops of one call took. Nothing is taken for another call of the request. */
export interface FetchReceipt extends Omit<Receipt, 'whole' | 'acked'> {
  readonly field: string;
  /** Random, of this call. */
  readonly call: string;
  /** Of this pop, counted up within the call. */
  readonly index: number;
}

/** An answer as far as its giver knows: a job that came with it is given back only if it was not given again since. */
export interface ReplayGuard {
  /** Of the receipt. */
  readonly key: string;
  /** Of the receipt. */
  readonly field?: string | undefined;
  /** How often it had been answered again. */
  readonly replays: number;
  /** Of a receipt in a slot: with another one there, nobody has asked for this answer again. */
  readonly digest?: string | undefined;
}

/** Progress and log rows that come with the end of a hold, and the receipt for it. */
export interface Ending {
  /** JSON text. */
  readonly progress?: string | Uint8Array;
  readonly logs?: readonly string[];
  readonly receipt?: Receipt;
  /** Minutes of metrics to keep should the job fail for good: somebody asked to cancel it. None by default. */
  readonly maxMetricsSize?: number;
}

/** A job that is given to its holder once more. */
export interface HeldJob {
  readonly job: StoredJob;
  /** The token that it is locked with. */
  readonly token: string;
}

/** Reads { 1, the answer }, the reply to what was carried out before; `undefined` for any other. */
export function replayedAnswer(reply: RedisReply): RedisReply | undefined {
  return Array.isArray(reply) && reply[0] === 1 ? (reply[1] ?? null) : undefined;
}

/** Reads flat fields, id and token in turn. */
export function heldJobs(reply: readonly RedisReply[]): HeldJob[] {
  const jobs: HeldJob[] = [];
  for (let at = 0; at + 2 < reply.length; at += 3) {
    const flat = reply[at];
    if (!Array.isArray(flat)) throw new ContractBroken('a held job has no fields');
    jobs.push({ job: jobFromFlat(String(reply[at + 1]), flat), token: String(reply[at + 2]) });
  }
  return jobs;
}
