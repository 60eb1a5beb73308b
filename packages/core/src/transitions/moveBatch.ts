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
  const batch = new Batch();
  const packed = moves.map((move) => batch.add(move));
  const { terms, receipts } = batch;
  const keys = { ...queue, ...metricsOf(queue) };
  const args = { prefix: queue.base, timestamp: now, maxBytes, shared: { terms, receipts } };
  const reply = await store.run(script, keys, { ...args, moves: packed });
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

function metricsOf(queue: QueueKeys) {
  return { completedMetrics: queue.metrics('completed'), failedMetrics: queue.metrics('failed') };
}

type Terms = MoveBatchArgs['shared']['terms'][number];
type PackedMove = MoveBatchArgs['moves'][number];
type PackedReceipt = NonNullable<PackedMove['receipt']>;

/** The receipts of one hash. */
interface Tray {
  readonly key: string;
  ttl: number;
  said: boolean;
  readonly acked: string[];
  /** Those that may stand already. */
  readonly fields: string[];
}

/** What the moves have in common is said once. */
class Batch {
  readonly terms: Terms[] = [];
  readonly receipts: Tray[] = [];
  readonly #trays = new Map<string, number>();

  add(move: Move): PackedMove {
    if (!('jobId' in move)) {
      const { token, receipt } = move;
      return { terms: this.#termsOf(move), token, ...(receipt && { receipt }) };
    }
    const { options } = move;
    const receipt = options.receipt && this.#receiptOf(options.receipt);
    return {
      terms: this.#termsOf(options as Terms),
      id: move.jobId,
      token: options.token,
      target: move.target,
      value: move.value,
      nextToken: move.fetchNext ? (options.nextToken ?? options.token) : undefined,
      options: rarerOf(options),
      receipt,
    };
  }

  #termsOf({ lockDuration, name, buffered, limiter, maxMetricsSize }: Terms): number {
    const known = this.terms.findIndex(
      (terms) =>
        terms.lockDuration === lockDuration &&
        terms.name === name &&
        terms.buffered === buffered &&
        terms.limiter === limiter &&
        terms.maxMetricsSize === maxMetricsSize,
    );
    if (known >= 0) return known + 1;
    const terms = { lockDuration, name, buffered, limiter, maxMetricsSize } as Terms;
    return this.terms.push(terms);
  }

  #receiptOf(receipt: Receipt): PackedReceipt {
    const { key, field, digest, ttl, whole, slot, fresh, acked } = receipt;
    if (field === undefined) return receipt;
    const place = this.#trays.get(key) ?? this.#newTray(key);
    const tray = this.receipts[place - 1] as Tray;
    tray.ttl = Math.max(tray.ttl, ttl);
    if (!receipt.said) tray.said = false;
    if (!fresh) tray.fields.push(field);
    if (acked) tray.acked.push(...acked);
    const packed: PackedReceipt = { tray: place, field, digest };
    if (whole) packed.whole = whole;
    if (slot) packed.slot = slot;
    if (fresh) packed.fresh = fresh;
    return packed;
  }

  #newTray(key: string): number {
    const place = this.receipts.push({ key, ttl: 0, said: true, acked: [], fields: [] });
    this.#trays.set(key, place);
    return place;
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

function rarerOf(options: Finish['options']): Record<string, unknown> | undefined {
  let rarer: Record<string, unknown> | undefined;
  for (const name in options) {
    if (COMMON.has(name)) continue;
    rarer ??= {};
    rarer[name] = options[name as keyof typeof options];
  }
  return rarer;
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
