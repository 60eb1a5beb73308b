import {
  EchoMQError,
  type Move,
  type Moved,
  moveBatch,
  type QueueKeys,
  type Store,
} from '@echomq/core';

/** Moves of one batch: with about 20 µs each they hold Redis for about 1 ms. */
const MAX_MOVES = 50;
/** Bytes of results that one batch carries; one move alone may exceed it. */
const MAX_BYTES = 256 * 1024;
/** Batches of a queue that are on their way at once: while Redis works on one, the next is made. */
const MAX_IN_FLIGHT = 2;

interface Waiting {
  readonly move: Move;
  readonly resolve: (moved: Exclude<Moved, EchoMQError>) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Group commit of one queue: the moves of one turn of the event loop go out as one script, each with its own answer. A
 * lone move never waits for company; only while two batches are on their way the next one gathers.
 */
export class GroupCommit {
  #waiting: Waiting[] = [];
  #inFlight = 0;
  #flushing = false;

  constructor(
    private readonly store: Store,
    private readonly keys: QueueKeys,
  ) {}

  /** Carries out a move, in the order of the calls. Rejects as its own transition would. */
  carryOut(move: Move): Promise<Exclude<Moved, EchoMQError>> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ move, resolve, reject });
      this.#flushLater();
    });
  }

  /** Sends after all that this turn of the event loop still brings. */
  #flushLater(): void {
    if (this.#flushing || this.#waiting.length === 0 || this.#inFlight >= MAX_IN_FLIGHT) return;
    this.#flushing = true;
    process.nextTick(() => this.#flush());
  }

  #flush(): void {
    this.#flushing = false;
    while (this.#waiting.length > 0 && this.#inFlight < MAX_IN_FLIGHT) {
      this.#send(this.#waiting.splice(0, this.#fitting()));
    }
  }

  /** How many of those that wait make the next batch. */
  #fitting(): number {
    let bytes = 0;
    let count = 0;
    for (const { move } of this.#waiting) {
      bytes += 'jobId' in move ? move.value.length : 0;
      if (count === MAX_MOVES || (bytes > MAX_BYTES && count > 0)) break;
      count++;
    }
    return count;
  }

  #send(batch: readonly Waiting[]): void {
    this.#inFlight++;
    const moves = batch.map(({ move }) => move);
    moveBatch(this.store, this.keys, moves).then(
      (moved) => {
        this.#inFlight--;
        batch.forEach((each, at) => {
          const answer = moved[at] as Moved;
          if (answer instanceof EchoMQError) each.reject(answer);
          else each.resolve(answer);
        });
        this.#flushLater();
      },
      (error: unknown) => {
        this.#inFlight--;
        for (const each of batch) each.reject(error);
        this.#flushLater();
      },
    );
  }
}
