import { type MoveBatchArgs, moveBatch as script } from '@echomq/lua';
import { ContractBroken, EchoMQError } from '../errors.js';
import type { QueueKeys } from '../keys.js';
import { PackedReader } from '../msgpack-reader.js';
import {
  type FetchingWorker,
  type FetchOutcome,
  type FinishBranch,
  type FinishOutcome,
  idleOutcome,
} from '../outcomes.js';
import { readRun } from '../packed-run.js';
import type { Receipt } from '../receipts.js';
import { rejectionOf, TransitionRejected } from '../rejections.js';
import type { Store } from '../store.js';
import { translateStoreError } from '../store-errors.js';
import type { Finish } from './moveToFinished.js';

/** One move of a batch: the end of a run, or a fetch. */
export type Move = Finish | FetchingWorker;

/** What became of a move: of a finish, of a fetch, or why there is nothing of it. */
export type Moved = FinishOutcome | FetchOutcome | EchoMQError;

/** Payloads that the answers of one batch hold, in bytes: beyond them no further job is taken. */
const MAX_BYTES = 512 * 1024;

/**
 * Ends runs and takes jobs in one script, as `moveToFinished` and `moveToActive` one after the other would. A move that is
 * refused or fails is answered with its error and harms no other. Holds Redis about 20 µs a move.
 *
 * @returns what became of each, in the order given.
 * @param now ms since the epoch; '' (production) asks Redis.
 * @throws StoreUnavailable, ContractBroken for all of them.
 */
export async function moveBatch(
  store: Store,
  queue: QueueKeys,
  moves: readonly Move[],
  {
    now = '',
    maxBytes = MAX_BYTES,
  }: { readonly now?: number | ''; readonly maxBytes?: number } = {},
): Promise<Moved[]> {
  const { terms, receipts, moves: packed } = new Batch(moves);
  const args = { prefix: queue.base, timestamp: now, maxBytes, shared: { terms, receipts } };
  const reply = await store.run(script, keysOf(queue), { ...args, moves: packed });
  if (!Buffer.isBuffer(reply)) throw new ContractBroken(`${script.file} answered no bytes`);
  const reader = new PackedReader(reply);
  const moved = moves.map((move) => readAnswer(reader, queue, move));
  if (store.watch) {
    for (const each of moved) {
      if (each instanceof EchoMQError) store.watch.refused(script.name, each.reason);
    }
  }
  return moved;
}

/** Put together once for a queue, and frozen: so its calls have one head, see `ScriptHeads`. */
function keysOf(queue: QueueKeys): BatchKeys {
  const known = batchKeys.get(queue);
  if (known) return known;
  const keys = Object.freeze(withMetrics(queue));
  batchKeys.set(queue, keys);
  return keys;
}

function withMetrics(queue: QueueKeys) {
  return {
    ...queue,
    completedMetrics: queue.metrics('completed'),
    failedMetrics: queue.metrics('failed'),
  };
}

type BatchKeys = Readonly<ReturnType<typeof withMetrics>>;
const batchKeys = new WeakMap<QueueKeys, BatchKeys>();

type Terms = MoveBatchArgs['shared']['terms'][number];
type Value = MoveBatchArgs['moves'][number];
type Rare = Extract<Value, { options?: unknown }>;
type RareReceipt = NonNullable<Rare['receipt']>;

/** The receipts of one hash. */
interface Tray {
  readonly key: string;
  ttl: number;
  said: boolean;
  readonly slot: boolean;
  readonly acked: string[];
  /** Those that may stand already. */
  readonly fields: string[];
}

/** What the moves have in common is said once, and they themselves are one list without names. */
class Batch {
  readonly terms: Terms[] = [];
  readonly receipts: Tray[] = [];
  readonly moves: Value[] = [];

  constructor(moves: readonly Move[]) {
    for (const move of moves) {
      if ('jobId' in move) this.#finish(move);
      else this.#fetch(move);
    }
  }

  #fetch(move: FetchingWorker): void {
    const { receipt } = move;
    const rare = receipt ? { receipt } : false;
    this.moves.push(this.#termsOf(move), move.token, false, false, false, 0, '', '', rare);
  }

  #finish({ jobId, target, value, fetchNext, options }: Finish): void {
    const { token, receipt } = options;
    const nextToken = fetchNext ? (options.nextToken ?? token) : false;
    const terms = this.#termsOf(options as Terms);
    const usual = receipt !== undefined && isUsual(receipt, nextToken);
    const place = usual ? this.#place(receipt) : 0;
    const field = usual ? (receipt.field ?? '') : '';
    const digest = usual ? receipt.digest : '';
    const other = receipt && !usual ? this.#other(receipt) : undefined;
    const rare = rareOf(target, options, other);
    this.moves.push(terms, token, jobId, value, nextToken, place, field, digest, rare);
  }

  #termsOf({ lockDuration, name, buffered, limiter, maxMetricsSize }: Terms): number {
    for (let at = 0; at < this.terms.length; at++) {
      const terms = this.terms[at] as Terms;
      if (
        terms.lockDuration === lockDuration &&
        terms.name === name &&
        terms.buffered === buffered &&
        terms.limiter === limiter &&
        terms.maxMetricsSize === maxMetricsSize
      ) {
        return at + 1;
      }
    }
    return this.terms.push({ lockDuration, name, buffered, limiter, maxMetricsSize } as Terms);
  }

  /** The receipt stands in a hash, which has a place for those that are looked for and one for others. */
  #place({ key, field, ttl, slot = false, said, fresh, acked }: Receipt): number {
    let at = this.receipts.findIndex((tray) => tray.key === key && tray.slot === slot);
    if (at < 0) {
      at = this.receipts.push({ key, ttl: 0, said: true, slot, acked: [], fields: [] }) - 1;
    }
    const tray = this.receipts[at] as Tray;
    tray.ttl = Math.max(tray.ttl, ttl);
    if (!said) tray.said = false;
    if (!fresh) tray.fields.push(field ?? '');
    if (acked) tray.acked.push(...acked);
    return 2 * at + (fresh ? 2 : 1);
  }

  #other(receipt: Receipt): RareReceipt {
    const { field, digest, whole, slot, fresh } = receipt;
    if (field === undefined) return receipt;
    const other: RareReceipt = { tray: this.#place(receipt), field, digest };
    if (whole) other.whole = whole;
    if (slot) other.slot = slot;
    if (fresh) other.fresh = fresh;
    return other;
  }
}

/** Options that every finish has, in the terms or in the move. */
const COMMON: ReadonlySet<string> = new Set([
  'token',
  'nextToken',
  'receipt',
  'lockDuration',
  'name',
  'buffered',
  'limiter',
  'maxMetricsSize',
]);

/** Whether a receipt's text needs no escapes and stands in a field of its own. */
function isUsual({ field, digest, whole }: Receipt, nextToken: string | false): boolean {
  if (field === undefined || whole) return false;
  return PLAIN.test(digest) && (nextToken === false || PLAIN.test(nextToken));
}

const PLAIN = /^[\w-]*$/;

/** What is not of a move's usual shape; false: all of it is. */
function rareOf(
  target: Finish['target'],
  options: Finish['options'],
  receipt: RareReceipt | undefined,
): Rare | false {
  let rarer: Record<string, unknown> | undefined;
  for (const name in options) {
    if (COMMON.has(name)) continue;
    rarer ??= {};
    rarer[name] = options[name as keyof typeof options];
  }
  if (target === 'completed' && !rarer && !receipt) return false;
  return { ...(target === 'failed' && { target }), options: rarer, receipt };
}

function readAnswer(reader: PackedReader, queue: QueueKeys, move: Move): Moved {
  const finishes = 'jobId' in move;
  if (reader.kind === 'number') return rejected(reader.number(), queue, move);
  if (reader.kind === 'text') {
    return translateStoreError(new Error(reader.text()), script.file);
  }
  const size = reader.array();
  const next = readNext(reader);
  if (!finishes) {
    const replays = size > 4 && reader.text() === 'replay';
    return replays ? { kind: 'replay' } : next;
  }
  const outcome = {
    branch: (reader.text() ?? '') as FinishBranch,
    attemptsMade: reader.number(),
    retryDelayMs: reader.number(),
  };
  if (size === 7) return { ...outcome, next };
  const replays = reader.number();
  const token = reader.text() ?? '';
  const problem = size > 9 ? reader.text() : undefined;
  if (problem !== undefined) return { ...outcome, next, problem };
  return { ...outcome, next: next.kind === 'job' ? { ...next, token } : next, replays };
}

function rejected(code: number, queue: QueueKeys, move: Move): EchoMQError {
  const reason = rejectionOf(code);
  if (!reason) return new ContractBroken(`${script.file} answered ${code}`);
  const subject = { queue: queue.name, ...('jobId' in move && { jobId: move.jobId }) };
  return new TransitionRejected(script.name, reason, subject);
}

function readNext(reader: PackedReader): FetchOutcome {
  if (reader.kind === 'array') {
    const job = readRun(reader);
    job.id = reader.text() ?? '';
    reader.skip();
    reader.skip();
    return { kind: 'job', job };
  }
  const later = reader.text() === 'later';
  reader.skip();
  const ttlMs = reader.number();
  const nextDueAt = reader.number();
  if (later) return { kind: 'later' };
  if (ttlMs > 0) return { kind: 'limited', ttlMs };
  return idleOutcome(nextDueAt);
}
