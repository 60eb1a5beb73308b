import * as pb from '@echomq/proto/messages';
import type { Connection } from '../connection.js';
import { invalid } from '../errors.js';
import { childKey } from '../job/dependencies.js';
import { Job } from '../job/job.js';
import { recordOfDelivery } from '../job/records.js';
import { encodeJson } from '../payload/encode.js';
import { durationOf } from '../payload/numbers.js';
import { readChildren, reasonOf, resultOf } from './children.js';
import { awaitingChildren, delayed, type RunEnd, released } from './outcomes.js';

/** What a job in a worker's hands asks of the worker. */
export interface HoldPort {
  readonly lease: pb.JobLease;
  /** @throws LeaseLost, WorkerClosed when the job is no longer held */
  checkHeld(): void;
  sendProgress(progress: Buffer, value: unknown): void;
  sendLog(line: string): Promise<void>;
}

/** The job that a handler runs. Its writes count only while the worker owns it. */
export class ActiveJob<Data = unknown, Result = unknown> extends Job<Data, Result> {
  readonly #hold: HoldPort;
  #wish: RunEnd | undefined;

  /** @internal */
  constructor(connection: Connection, delivered: pb.DeliveredJob, hold: HoldPort) {
    super(connection, recordOfDelivery(delivered));
    this.#hold = hold;
  }

  /**
   * Sets the progress that others see: anything that JSON can hold. It is sent without waiting; the last one counts.
   *
   * @throws InvalidRequest for what JSON cannot hold; LeaseLost
   */
  override async updateProgress(progress: unknown): Promise<void> {
    this.#hold.checkHeld();
    const bytes = encodeJson(progress, 'progress');
    this.record = { ...this.record, progress: bytes };
    this.#hold.sendProgress(bytes, progress);
  }

  /**
   * Appends a line to the job's log. It need not be awaited; who awaits it is held back when the gateway is slow.
   *
   * @throws InvalidRequest for a line of more than 60 KiB; LeaseLost
   */
  override log(line: string): Promise<void> {
    const sent = this.#log(`${line}`);
    // Not awaiting it is no mistake: the handler's signal tells of a lost lease as well.
    sent.catch(() => {});
    return sent;
  }

  async #log(line: string): Promise<void> {
    this.#hold.checkHeld();
    await this.#hold.sendLog(line);
  }

  /**
   * Replaces the payload, here and in the store, for this run and those that follow.
   *
   * @throws InvalidRequest, PayloadTooLarge, LeaseLost, Unavailable
   */
  override async updateData(data: Data): Promise<void> {
    this.#hold.checkHeld();
    const bytes = encodeJson(data, 'data');
    await this.connection.call('worker', 'updateJobData', { lease: this.#hold.lease, data: bytes });
    this.replaceData(bytes);
  }

  /**
   * Ends this run with a delay instead of a result: the job runs again at that time. Return after it; what is returned
   * does not count, what is thrown (but `DelayedError`) still fails the job.
   *
   * @param until ms from now, or an instant as a Date
   * @param options `countAttempt`: this run counts as an attempt; by default it does not
   * @throws InvalidRequest for a number that is no span, such as a timestamp
   */
  moveToDelayed(
    until: number | Date,
    { countAttempt = false }: { readonly countAttempt?: boolean } = {},
  ): void {
    checkDue(until);
    this.#wish = delayed(until, { skipAttempt: !countAttempt });
  }

  /**
   * Ends this run until its children have finished, if there are any that have not: the job then runs again. Return
   * after it, or throw a `WaitingChildrenError` as in BullMQ.
   *
   * @returns false: all have finished, and the run goes on
   * @throws LeaseLost, Unavailable
   * @example if (await job.moveToWaitingChildren()) return;
   */
  async moveToWaitingChildren(): Promise<boolean> {
    const pending = await this.#children(pb.ChildFilter.PENDING, { first: true });
    if (pending.length === 0) return false;
    this.#wish = awaitingChildren();
    return true;
  }

  /** The results of its children that have completed, by `queue:id`. @throws LeaseLost, Unavailable */
  override async getChildrenValues<Value = unknown>(): Promise<Record<string, Value>> {
    const children = await this.#children(pb.ChildFilter.PROCESSED);
    return Object.fromEntries(
      children.map((child) => [childKey(child), resultOf(child) as Value] as const),
    );
  }

  /** Why children failed without which this job goes on, by `queue:id`. @throws LeaseLost, Unavailable */
  override async getIgnoredChildrenFailures(): Promise<Record<string, string>> {
    const children = await this.#children(pb.ChildFilter.IGNORED);
    return Object.fromEntries(children.map((child) => [childKey(child), reasonOf(child)] as const));
  }

  async #children(filter: pb.ChildFilter, bounds: { readonly first?: boolean } = {}) {
    this.#hold.checkHeld();
    return readChildren(this.connection, { lease: this.#hold.lease, filter }, bounds);
  }

  /** Ends this run by giving the job back, no attempt counted: to the front unless `toFront` is false. */
  release({ toFront = true }: { readonly toFront?: boolean } = {}): void {
    this.#wish = released({ toFront });
  }

  /** @internal How the run is to end, if the handler has said so. */
  get wish(): RunEnd | undefined {
    return this.#wish;
  }

  /** @internal The server has stored how the run ended. */
  settled(change: Partial<pb.Job>): void {
    // The record was made for this job alone.
    Object.assign(this.record, change);
  }
}

/** Timestamps in ms begin far beyond any delay that somebody means. */
const NO_SPAN_MS = 1e12;

/** @throws InvalidRequest */
export function checkDue(until: number | Date): void {
  if (until instanceof Date) {
    if (Number.isNaN(until.getTime())) throw invalid('until', 'is an invalid Date');
    return;
  }
  durationOf(until, 'until');
  if (until >= NO_SPAN_MS) {
    throw invalid('until', 'a number is ms from now; say an instant with a Date');
  }
}
