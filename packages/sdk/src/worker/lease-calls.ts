import * as pb from '@echomq/proto/messages';

/** What the calls are made of. */
export interface LeaseCallsHost {
  /** The leases that are to go on. */
  leases(): readonly pb.JobLease[];
  /** Life of a lock, in ms. */
  lockMs(): number;
  /** Asks for their renewal. Rejects where nobody answers within `timeoutMs`. */
  extend(request: pb.ExtendLocksRequest, timeoutMs: number): Promise<pb.ExtendLocksResponse>;
  /** The answer to what was asked at `askedAt`, by `performance.now()`. */
  onAnswer(leases: readonly pb.LeaseRenewal[], askedAt: number): void;
}

/** Leases of one call at most. */
const MAX_LEASES = 1_000;

/**
 * Renews leases by calls while there is no stream: one that is cut, or refused for a while, on a way over which calls
 * still pass costs no run its job. Where calls do not pass either, the leases end as ever.
 */
export class LeaseCalls {
  readonly #host: LeaseCallsHost;
  #timer: NodeJS.Timeout | undefined;

  constructor(host: LeaseCallsHost) {
    this.#host = host;
  }

  /** There is no stream: asks from now on six times in the life of a lock. */
  start(): void {
    if (this.#timer !== undefined) return;
    const everyMs = this.#host.lockMs() / 6;
    this.#timer = setInterval(() => this.#ask(everyMs), everyMs);
  }

  /** There is a stream again, or no more will come. */
  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #ask(timeoutMs: number): void {
    const all = this.#host.leases();
    const lockDuration = pb.msToDuration(this.#host.lockMs());
    for (let from = 0; from < all.length; from += MAX_LEASES) {
      const leases = all.slice(from, from + MAX_LEASES);
      const request = { worker: undefined, leases, lockDuration, load: undefined };
      const askedAt = performance.now();
      this.#host.extend(request, timeoutMs).then(
        ({ leases: renewals }) => this.#host.onAnswer(renewals, askedAt),
        // Nobody heard it: the next one is on its way, and the watch knows how long each lease surely lives.
        () => {},
      );
    }
  }
}
