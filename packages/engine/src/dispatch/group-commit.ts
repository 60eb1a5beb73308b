import { EchoMQError } from '@echomq/core';

/** Items of one batch: with about 20 µs each they hold Redis for about 1 ms. */
const MAX_ITEMS = 50;
/** Bytes of payloads that one batch carries; one item alone may exceed it. */
const MAX_BYTES = 256 * 1024;
/** Batches that are on their way at once: while Redis works on one, the next is made. */
const MAX_IN_FLIGHT = 2;
/** Fewer items are not parted: what a script costs by itself would be paid twice. */
const WORTH_A_BATCH = 3;

/** What a group commit is made of. */
export interface GroupCommitPorts<Item, Answer> {
  /** Carries a batch out: one answer or error per item, in their order. */
  readonly send: (items: readonly Item[]) => Promise<readonly (Answer | EchoMQError)[]>;
  /** Carries a single item out, where that is cheaper than a batch of one. */
  readonly sendAlone?: (item: Item) => Promise<Answer>;
  /** About how many bytes an item carries. */
  readonly sizeOf: (item: Item) => number;
  /** Told the error of each item that has one, before whoever waits for it. */
  readonly onError?: (item: Item, error: unknown) => void;
  /** Told when nothing waits any more and nothing is on its way. */
  readonly onIdle?: () => void;
}

interface Waiting<Item, Answer> {
  readonly item: Item;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Group commit for one queue: the items of one turn of the event loop go out as one script, each with its own answer. A
 * lone item never waits for company; only while two batches are on their way the next one gathers.
 */
export class GroupCommit<Item, Answer> {
  #waiting: Waiting<Item, Answer>[] = [];
  #inFlight = 0;
  #itemsInFlight = 0;
  #flushing = false;
  readonly #onTurn = () => this.#flush();

  constructor(private readonly ports: GroupCommitPorts<Item, Answer>) {}

  /** Whether nothing waits and nothing is on its way. */
  get idle(): boolean {
    return this.#waiting.length === 0 && this.#inFlight === 0;
  }

  /** Carries an item out, in the order of the calls. Rejects with the item's own error, or that of its batch. */
  carryOut(item: Item): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      this.#flushLater();
    });
  }

  /**
   * Sends after all that this turn of the event loop still brings: while the store is at work on another batch that is all of
   * it, what the answers that have just come lead to included; else it is what the caller's own step brings.
   */
  #flushLater(): void {
    if (this.#flushing || this.#waiting.length === 0 || this.#inFlight >= MAX_IN_FLIGHT) return;
    this.#flushing = true;
    if (this.#inFlight > 0) setImmediate(this.#onTurn);
    else process.nextTick(this.#onTurn);
  }

  #flush(): void {
    this.#flushing = false;
    while (this.#waiting.length > 0 && this.#inFlight < MAX_IN_FLIGHT) {
      const count = this.#waiting.length === 1 ? 1 : this.#fitting();
      const batch = this.#waiting.splice(0, count);
      const [first] = batch;
      if (count === 1 && first && this.ports.sendAlone)
        this.#sendAlone(first, this.ports.sendAlone);
      else this.#send(batch);
    }
  }

  /**
   * How many of those that wait make the next batch. Batches of one size keep both sides at work, so it takes no more than
   * half of all that waits or is on its way; what is left goes with what the next answers bring.
   */
  #fitting(): number {
    const share = Math.ceil((this.#waiting.length + this.#itemsInFlight) / MAX_IN_FLIGHT);
    const most = Math.min(MAX_ITEMS, Math.max(share, WORTH_A_BATCH));
    let bytes = 0;
    let count = 0;
    for (const { item } of this.#waiting) {
      bytes += this.ports.sizeOf(item);
      if (count === most || (bytes > MAX_BYTES && count > 0)) break;
      count++;
    }
    return count;
  }

  #sendAlone(waiting: Waiting<Item, Answer>, send: (item: Item) => Promise<Answer>): void {
    this.#inFlight++;
    this.#itemsInFlight++;
    send(waiting.item).then(
      (answer) => {
        this.#answered(1);
        waiting.resolve(answer);
        this.#goOn();
      },
      (error: unknown) => {
        this.#answered(1);
        this.#refuse(waiting, error);
        this.#goOn();
      },
    );
  }

  #send(batch: readonly Waiting<Item, Answer>[]): void {
    this.#inFlight++;
    this.#itemsInFlight += batch.length;
    this.ports.send(batch.map(({ item }) => item)).then(
      (answers) => {
        this.#answered(batch.length);
        let at = 0;
        for (const waiting of batch) {
          const answer = answers[at++] as Answer | EchoMQError;
          if (answer instanceof EchoMQError) this.#refuse(waiting, answer);
          else waiting.resolve(answer);
        }
        this.#goOn();
      },
      (error: unknown) => {
        this.#answered(batch.length);
        for (const waiting of batch) this.#refuse(waiting, error);
        this.#goOn();
      },
    );
  }

  #answered(items: number): void {
    this.#inFlight--;
    this.#itemsInFlight -= items;
  }

  #goOn(): void {
    this.#flushLater();
    if (this.idle) this.ports.onIdle?.();
  }

  #refuse({ item, reject }: Waiting<Item, Answer>, error: unknown): void {
    this.ports.onError?.(item, error);
    reject(error);
  }
}
