import { setTimeout as sleep } from 'node:timers/promises';
import * as pb from '@echomq/proto/messages';
import type { Connection } from '../connection.js';
import { PART_TIMEOUT_MS } from './in-parts.js';

/** What can be broken in a queue. */
export type FaultKind =
  /** A job is in more than one place, or more than once in one. */
  | 'in-two-places'
  /** An id is in a place, and there is no job. */
  | 'job-missing'
  /** A job is in no place. */
  | 'job-lost'
  /** A job is active and nobody holds it. */
  | 'lease-missing'
  /** A job has a lock and is not active. */
  | 'lease-stray'
  /** Work waits, nobody works, and nothing would wake a worker. */
  | 'marker-missing'
  /** A parent waits for a child that will never tell it. */
  | 'parent-stuck'
  /** A deduplication id that never lapses is held by a job that is gone. */
  | 'deduplication-stray'
  /** Jobs are parked where BullMQ 5 puts those of a paused queue, and it has not paused this one. */
  | 'parked'
  /** A key of an old version of BullMQ. */
  | 'legacy-key'
  /** A list holds an entry of an old version that is no id. */
  | 'legacy-entry'
  /** A scheduler has no next run, and is not at its end. */
  | 'scheduler-stopped'
  /** A scheduler is listed and has no record. */
  | 'scheduler-missing'
  /** A key holds another type of value than it should; it cannot be mended. */
  | 'wrong-type'
  /** Something that this version does not know. */
  | 'unknown';

/** Something broken in a queue. */
export interface QueueFault {
  readonly kind: FaultKind;
  /** The id of a job, of a scheduler or of a deduplication, or what a key has after the queue's prefix. */
  readonly subject: string;
  /** The key of a child, where one is part of it. */
  readonly other: string | undefined;
  /** Why it is broken, for people. */
  readonly why: string;
  /** When it was seen first, ms since the epoch by the store's clock. */
  readonly seenAt: number;
  /** @internal As it was told. */
  readonly record: pb.Fault;
}

/** How a queue is looked at. */
export interface InspectOptions {
  /**
   * What may be a moment of a healthy queue is looked at once more after so many ms, and is told only if it is still so;
   * 5,000 by default. `repair` refuses a missing lease that was seen less than 2 s ago.
   */
  readonly settleMs?: number;
  /** Told after each part how many ids and keys were looked at so far. */
  readonly onProgress?: (lookedAt: number) => void;
  /** Ends it early: what is found by then is told. */
  readonly signal?: AbortSignal;
}

/** What was done about a fault. */
export interface QueueRepair {
  readonly fault: QueueFault;
  /** What was done, in a word or two; undefined: nothing, since it is no longer so or cannot be mended. */
  readonly done: string | undefined;
}

/** Faults of one request. */
const PART = 500;
const LONG = { timeoutMs: PART_TIMEOUT_MS };

/** See `Queue.inspect`. */
export async function inspectQueue(
  connection: Connection,
  queue: string,
  { settleMs = 5_000, onProgress, signal }: InspectOptions,
): Promise<QueueFault[]> {
  const found: pb.Fault[] = [];
  let looked = 0;
  let pageToken = '';
  do {
    const request = { queue, pageToken, again: [] };
    const part = await connection.call('queue', 'inspectQueue', request, LONG);
    found.push(...part.faults);
    looked += part.lookedAt;
    onProgress?.(looked);
    pageToken = part.nextPageToken;
  } while (pageToken !== '' && !signal?.aborted);
  const settled = found.filter(({ unsettled }) => !unsettled);
  const open = found.filter(({ unsettled }) => unsettled);
  if (open.length > 0 && !signal?.aborted) {
    await sleep(settleMs, undefined, signal ? { signal } : {}).catch(() => undefined);
    for (let from = 0; from < open.length && !signal?.aborted; from += PART) {
      const request = { queue, pageToken: '', again: open.slice(from, from + PART) };
      settled.push(...(await connection.call('queue', 'inspectQueue', request, LONG)).faults);
    }
  }
  return distinct(settled).map(faultOf);
}

/** See `Queue.repair`. */
export async function repairQueue(
  connection: Connection,
  queue: string,
  faults: readonly QueueFault[],
): Promise<QueueRepair[]> {
  const repairs: QueueRepair[] = [];
  for (let from = 0; from < faults.length; from += PART) {
    const part = faults.slice(from, from + PART);
    const request = { queue, faults: part.map(({ record }) => record) };
    const answer = await connection.call('queue', 'repairQueue', request, LONG);
    part.forEach((fault, at) => {
      repairs.push({ fault, done: answer.repairs[at]?.done || undefined });
    });
  }
  return repairs;
}

/** One that stands in two places is met at each of them. */
function distinct(faults: readonly pb.Fault[]): pb.Fault[] {
  const byName = new Map(
    faults.map((fault) => [JSON.stringify([fault.kind, fault.subject, fault.other]), fault]),
  );
  return [...byName.values()];
}

const KINDS = new Map<number, FaultKind>(
  Object.entries(pb.FaultKind).map(([name, kind]) => [
    kind,
    name.toLowerCase().replaceAll('_', '-') as FaultKind,
  ]),
);

function faultOf(record: pb.Fault): QueueFault {
  const kind = record.kind > 0 ? (KINDS.get(record.kind) ?? 'unknown') : 'unknown';
  return {
    kind,
    subject: record.subject,
    other: record.other || undefined,
    why: record.why,
    seenAt: record.seenAt?.getTime() ?? 0,
    record,
  };
}
