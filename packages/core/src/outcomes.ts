import type { Script } from '@echomq/lua';
import { ContractBroken } from './errors.js';
import { jobFromFlat, type StoredJob } from './job-fields.js';
import type { QueueKeys } from './keys.js';
import { PackedReader } from './msgpack-reader.js';
import { readRun } from './packed-run.js';
import type { FetchReceipt } from './receipts.js';
import type { RedisReply } from './redis-client.js';
import { rejectionOf, TransitionRejected } from './rejections.js';

/** What a fetch found. */
export type FetchOutcome =
  /** A job, now active and locked with the token that was given; after a replay with the one that is named. */
  | { readonly kind: 'job'; readonly job: StoredJob; readonly token?: string }
  /** The rate limit is exhausted for so many ms. */
  | { readonly kind: 'limited'; readonly ttlMs: number }
  /**
   * Nothing to hand out: empty, paused, or (`maxed`) at the global concurrency. `nextDueAt`: ms since the epoch of the
   * first delayed job.
   */
  | { readonly kind: 'idle'; readonly nextDueAt?: number; readonly maxed?: true }
  /** Another call of the same request has taken jobs; nothing was taken for this one. See `replayFetch`. */
  | { readonly kind: 'replay' }
  /** The next job is taken for a free slot only, and was left: see `FetchingWorker.buffered`. */
  | { readonly kind: 'unbuffered' }
  /** The answer of the batch was full: nothing was looked for. Ask again. */
  | { readonly kind: 'later' };

/** A rate limit of a worker: at most `max` starts in `duration` ms. The queue's own limit goes before it. */
export interface RateLimit {
  readonly max: number;
  readonly duration: number;
}

/** Who fetches. */
export interface FetchingWorker {
  /** The token that the next job is locked with: new for each delivery. */
  readonly token: string;
  /** How long the lock stands without a renewal, ms. */
  readonly lockDuration: number;
  /** Stored as the job's `processedBy`. */
  readonly name?: string;
  readonly limiter?: RateLimit;
  /**
   * Its slots are taken: the job does not count as begun before a renewal of its lock says so. One that a sweep has
   * given back as not begun is not taken so again: nobody would ever know that it takes its worker with it.
   */
  readonly buffered?: boolean;
  /** Minutes of metrics to keep when the fetch has to fail a job (deferred failures); none by default. */
  readonly maxMetricsSize?: number;
  /** Notes the job, so that the request's next call gets it and no other. */
  readonly receipt?: FetchReceipt;
}

/** Where a job went. `waiting`, `prioritized`, `delayed`: it will run again. */
export type FinishBranch =
  | 'completed'
  | 'failed'
  | 'waiting'
  | 'prioritized'
  | 'delayed'
  | 'waiting-children';

/** What a finish did, and what it fetched. */
export interface FinishOutcome {
  readonly branch: FinishBranch;
  /** Attempts made, this one included. */
  readonly attemptsMade: number;
  /** Milliseconds until the retry; 0 when there is none or it may run at once. */
  readonly retryDelayMs: number;
  /** What the fetch in the same step found. `idle` when none was asked for. */
  readonly next: FetchOutcome;
  /** The end had been carried out by an earlier call of the same request: how often it has been answered again. */
  readonly replays?: number;
  /** Why a failure that had attempts left is final all the same: the job's backoff is not known. */
  readonly problem?: string;
}

/** What a transition was about, for its rejection. */
export interface Subject {
  readonly queue: QueueKeys;
  readonly jobId?: string;
}

/** Throws {@link TransitionRejected} when a reply is a rejection; returns any other reply. */
export function accepted(script: Script, reply: RedisReply, subject: Subject): RedisReply {
  const reason = rejectionOf(reply);
  if (reason === undefined) return reply;
  throw new TransitionRejected(script.name, reason, {
    queue: subject.queue.name,
    ...(subject.jobId === undefined ? {} : { jobId: subject.jobId }),
  });
}

/** The elements of a reply that must be an array. */
export function rows(script: Script, reply: RedisReply | undefined): RedisReply[] {
  if (!Array.isArray(reply)) throw new ContractBroken(`${script.file} answered no array`);
  return reply;
}

/**
 * What a fetch without a job found, from its fourth answer: the next due time, ms, or -1 where as many run as may, or -2
 * where the next job is taken for a free slot only.
 */
export function idleOutcome(dueAt: number): FetchOutcome {
  if (dueAt === -2) return { kind: 'unbuffered' };
  if (dueAt < 0) return { kind: 'idle', maxed: true };
  return dueAt > 0 ? { kind: 'idle', nextDueAt: dueAt } : { kind: 'idle' };
}

/** Reads { flat fields, a packed run or 0, id or 0, limited for ms, next due ms, -1 or -2 }. */
export function fetchOutcome(script: Script, reply: readonly RedisReply[]): FetchOutcome {
  const [flat, id, limitedMs, dueAt, replay] = reply;
  if (String(replay) === 'replay') return { kind: 'replay' };
  if (Array.isArray(flat)) return { kind: 'job', job: jobFromFlat(String(id), flat) };
  if (Buffer.isBuffer(flat)) {
    const job = readRun(new PackedReader(flat));
    job.id = String(id);
    return { kind: 'job', job };
  }
  if (flat !== 0) throw new ContractBroken(`${script.file} answered no fetch`);
  if (Number(limitedMs) > 0) return { kind: 'limited', ttlMs: Number(limitedMs) };
  return idleOutcome(Number(dueAt));
}

/**
 * Reads a fetch followed by the branch, the attempts made and the retry delay; from a receipt also how often it was
 * answered again and the next job's token, and of a backoff that is not known its name.
 */
export function finishOutcome(script: Script, reply: readonly RedisReply[]): FinishOutcome {
  const next = fetchOutcome(script, reply);
  const outcome = {
    branch: String(reply[4]) as FinishBranch,
    attemptsMade: Number(reply[5]),
    retryDelayMs: Number(reply[6]),
  };
  const [replays, token, problem] = reply.slice(7);
  if (problem !== undefined) return { ...outcome, next, problem: String(problem) };
  if (replays === undefined) return { ...outcome, next };
  const given = next.kind === 'job' ? { ...next, token: String(token) } : next;
  return { ...outcome, next: given, replays: Number(replays) };
}
