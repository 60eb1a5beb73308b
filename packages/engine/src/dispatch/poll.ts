import type { FetchReceipt } from '@echomq/core';
import { withoutData } from '../messages/sizes.js';
import type { Consumer, Delivery, FetchTerms } from './consumer.js';

/** What a poll asks for. */
export interface PollRequest {
  readonly terms: FetchTerms;
  readonly maxJobs: number;
  /** Bytes of jobs in the answer; one job alone may exceed it and then comes without its data. */
  readonly maxBytes: number;
  /** Notes what is taken, for a request that may come again. */
  readonly receipt?: Omit<FetchReceipt, 'index'>;
}

/**
 * A long poll in line. It is answered as soon as it holds a job and the queue has nothing more that fits, without
 * waiting for the rest.
 */
export class Poll implements Consumer {
  readonly terms: FetchTerms;
  /** Resolves with the jobs, none when it was ended; rejects with the error that met its first fetch. */
  readonly answer: Promise<readonly Delivery[]>;
  readonly #taken: Delivery[] = [];
  #bytes = 0;
  #pending = 0;
  /** It takes no more. */
  #closed = false;
  /** It waits no longer, and takes what is on its way. */
  #ending = false;
  #fetches = 0;
  #resolve: (jobs: readonly Delivery[]) => void = () => undefined;
  #reject: (error: unknown) => void = () => undefined;

  /**
   * @param once one look at the queue is enough: it does not wait.
   */
  constructor(
    private readonly request: PollRequest,
    private readonly once = false,
  ) {
    this.terms = request.terms;
    const { receipt } = request;
    if (receipt) this.receipt = () => ({ ...receipt, index: this.#fetches++ });
    this.answer = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    // Whoever asked may be gone before it fails.
    this.answer.catch(() => undefined);
  }

  get filling(): boolean {
    return this.#taken.length > 0;
  }

  want(): number {
    if (this.#closed || this.#ending) return 0;
    const room = this.request.maxJobs - this.#taken.length - this.#pending;
    if (this.#taken.length === 0) return room;
    // What fits by the size of the last one: what does not goes back anyway.
    const size = this.#taken.at(-1)?.bytes ?? 1;
    const fits = Math.floor((this.request.maxBytes - this.#bytes) / size) - this.#pending;
    return Math.min(room, fits);
  }

  begin(): void {
    this.#pending++;
  }

  /** Told when it wants a job and the queue has none. */
  onStarved?: () => void;

  /** Only while the request has an id: see {@link PollRequest.receipt}. */
  readonly receipt?: () => FetchReceipt;

  /** Another call of the request has taken jobs: nothing is taken for this one. */
  replayed(): void {
    this.#pending--;
    this.#ending = true;
    this.#finish();
  }

  take(delivery: Delivery): boolean {
    this.#pending--;
    const fits = this.#bytes + delivery.bytes <= this.request.maxBytes;
    const taken = !this.#closed && (fits || this.#taken.length === 0);
    if (taken) {
      const job = fits ? delivery.job : withoutData(delivery.job);
      this.#taken.push({ ...delivery, job });
      this.#bytes += delivery.bytes;
    }
    // Nothing passes one that did not fit: the order stays.
    if (!fits) this.#closed = true;
    if (this.want() <= 0) this.#finish();
    return taken;
  }

  miss(): void {
    this.#pending--;
    if (this.#ending || this.#taken.length > 0) this.#finish();
  }

  fail(error: unknown): void {
    this.#pending--;
    if (this.#taken.length > 0) {
      this.#finish();
    } else if (this.#pending === 0) {
      this.#closed = true;
      this.#reject(error);
    }
  }

  settle(idle: boolean): void {
    if (idle && this.want() > 0) this.onStarved?.();
    if (idle && (this.once || this.#taken.length > 0)) this.#finish();
  }

  /**
   * It waits no longer: what it holds is its answer, what is on its way is refused. With a receipt that is noted
   * already: it is waited for, and kept for when the request comes again.
   */
  end(): void {
    if (this.request.receipt) {
      this.#ending = true;
      this.#finish();
      return;
    }
    this.#closed = true;
    if (this.#pending === 0 || this.#taken.length === 0) this.#resolve(this.#taken);
  }

  /** Answers once nothing is on its way any more. */
  #finish(): void {
    if (this.#pending > 0) return;
    this.#closed = true;
    this.#resolve(this.#taken);
  }
}
