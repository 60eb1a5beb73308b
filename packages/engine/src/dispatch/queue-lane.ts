import {
  type AwaitChildren,
  addLogs,
  type DataUpdate,
  type Delay,
  type EchoMQError,
  extendLocks,
  type FetchingWorker,
  type FetchOutcome,
  type FetchReplay,
  type Finish,
  type FinishOutcome,
  type LeaseRenewal,
  type LogRows,
  type Move,
  moveBatch,
  moveJobFromActiveToWait,
  moveStalledJobsToWait,
  moveToActive,
  moveToDelayed,
  moveToFinished,
  moveToWaitingChildren,
  type ProgressUpdate,
  type Promotion,
  promoteDueJobs,
  type Receipt,
  type Release,
  type RenewalOutcome,
  type ReplayedFetch,
  type ReplayGuard,
  replayFetch,
  type Store,
  StoreUnavailable,
  type SweepOptions,
  type SweepOutcome,
  updateData,
  updateProgress,
} from '@echomq/core';
import type { NamedQueue } from '../queue-names.js';
import { guardOf } from '../receipts/guard.js';
import { GroupCommit } from './group-commit.js';

/**
 * The one way from the engine to a queue's transitions: the fetches and finishes of one turn of the event loop go out as
 * one script, one that is alone and all else as its own, in the order of the calls.
 */
export class QueueLane {
  readonly #moves: GroupCommit<Move, FetchOutcome | FinishOutcome>;

  /**
   * @param onLost told the token of a fetch whose answer a broken link has swallowed: a job may be active under it. With
   * a guard its request may come again, and then gets that job.
   */
  constructor(
    private readonly store: Store,
    readonly queue: NamedQueue,
    private readonly onLost: (token: string, guard?: ReplayGuard) => void = () => undefined,
  ) {
    this.#moves = new GroupCommit<Move, FetchOutcome | FinishOutcome>({
      send: (moves) => this.#carryOut(moves),
      sizeOf: (move) => ('jobId' in move ? move.value.length : 0),
      onError: (move, error) => this.#noteLostMove(move, error),
    });
  }

  /** A lone move has its own script, which costs less than a batch of one. */
  async #carryOut(
    moves: readonly Move[],
  ): Promise<readonly (FetchOutcome | FinishOutcome | EchoMQError)[]> {
    const { store, queue } = this;
    const [move] = moves;
    if (!move || moves.length > 1) return moveBatch(store, queue.keys, moves);
    return [
      'jobId' in move
        ? await moveToFinished(store, queue.keys, move)
        : await moveToActive(store, queue.keys, move),
    ];
  }

  /** Takes the next job. */
  fetch(worker: FetchingWorker): Promise<FetchOutcome> {
    return this.#moves.carryOut(worker) as Promise<FetchOutcome>;
  }

  /** Ends a run, with the next job if asked. */
  finish(finish: Finish): Promise<FinishOutcome> {
    return this.#moves.carryOut(finish) as Promise<FinishOutcome>;
  }

  /** Puts a running job off, with the next job if asked. */
  async delay(delay: Delay): Promise<FinishOutcome> {
    try {
      return await moveToDelayed(this.store, this.queue.keys, delay);
    } catch (error) {
      throw this.#noteLost(error, delay.fetchNext?.token, delay.receipt);
    }
  }

  /** Gives the jobs of an earlier fetch again; `undefined` when that has taken none. */
  replay(fetch: FetchReplay): Promise<ReplayedFetch | undefined> {
    return replayFetch(this.store, this.queue.keys, fetch);
  }

  /** Gives a job back unrun. With a receipt it says what became of it, else for how many ms the queue is limited. */
  release(release: Release): Promise<number | FinishOutcome> {
    return moveJobFromActiveToWait(this.store, this.queue.keys, release);
  }

  /** Parks a parent; false when no child is pending. With a receipt it says what became of it. */
  awaitChildren(parent: AwaitChildren): Promise<boolean | FinishOutcome> {
    return moveToWaitingChildren(this.store, this.queue.keys, parent);
  }

  /** Renews locks; answers stand in the order given. */
  renew(leases: readonly LeaseRenewal[]): Promise<RenewalOutcome[]> {
    return extendLocks(this.store, this.queue.keys, leases);
  }

  /** Sets the progress of a running job. */
  progress(update: ProgressUpdate): Promise<void> {
    return updateProgress(this.store, this.queue.keys, update);
  }

  /** Appends to the log of a running job. */
  log(logs: LogRows): Promise<number> {
    return addLogs(this.store, this.queue.keys, logs);
  }

  /** Replaces the data of a running job. */
  data(update: DataUpdate): Promise<void> {
    return updateData(this.store, this.queue.keys, update);
  }

  /** Moves due jobs to where they wait, without taking one. */
  promoteDue(): Promise<Promotion> {
    return promoteDueJobs(this.store, this.queue.keys);
  }

  /** Gives the jobs of silent workers back. */
  sweepStalled(options: SweepOptions): Promise<SweepOutcome> {
    return moveStalledJobsToWait(this.store, this.queue.keys, options);
  }

  #noteLostMove(move: Move, error: unknown): void {
    if (!('jobId' in move)) this.#noteLost(error, move.token, move.receipt);
    else if (move.fetchNext) this.#noteLost(error, move.options.nextToken, move.options.receipt);
  }

  #noteLost(error: unknown, token: string | undefined, receipt?: Receipt): unknown {
    if (token !== undefined && error instanceof StoreUnavailable && error.mayHaveApplied) {
      this.onLost(token, receipt && guardOf(receipt));
    }
    return error;
  }
}
