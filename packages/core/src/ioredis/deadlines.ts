/** Something that ends at a time unless it is forgotten before. It is a link of the chain in which it is watched. */
export abstract class Deadline {
  /** @internal */
  before: Deadline | undefined = undefined;
  /** @internal */
  after: Deadline | undefined = undefined;

  /** By `performance.now()`. */
  abstract readonly at: number;
  abstract late(): void;
}

/** Those of one length, from the first to the last, between two ends that stand for nothing. */
class Chain extends Deadline {
  readonly at = 0;
  readonly last: Deadline;
  timer: NodeJS.Timeout | undefined = undefined;

  constructor(readonly ms: number) {
    super();
    this.last = new End();
    this.after = this.last;
    this.last.before = this;
  }

  late(): void {}
}

class End extends Deadline {
  readonly at = 0;
  late(): void {}
}

/**
 * Watches over the deadlines of many calls with one timer per length: those of one length end in the order in which
 * they begin. They are chained to each other, so that one more costs no memory and is forgotten without a search.
 */
export class Deadlines<Watched extends Deadline = Deadline> {
  readonly #chains = new Map<number, Chain>();
  /** Of the last call: nearly all have one length. */
  #known: Chain | undefined;

  /** Watches over one that ends `ms` after its begin. */
  add(ms: number, deadline: Watched): void {
    const chain = this.#known?.ms === ms ? this.#known : this.#chainOf(ms);
    const { last } = chain;
    const { before } = last;
    deadline.before = before;
    deadline.after = last;
    last.before = deadline;
    if (before) before.after = deadline;
    if (chain.timer === undefined) this.#arm(chain, ms);
  }

  /** It has ended by itself; nothing happens to one that is not watched. */
  forget(deadline: Deadline): void {
    const { before, after } = deadline;
    if (!before || !after) return;
    before.after = after;
    after.before = before;
    // A link that was left standing would keep those before and after it from being forgotten.
    deadline.before = undefined;
    deadline.after = undefined;
  }

  /** Those that are watched. */
  all(): Watched[] {
    const all: Deadline[] = [];
    for (const chain of this.#chains.values()) {
      for (let each = chain.after; each && each !== chain.last; each = each.after) all.push(each);
    }
    return all as Watched[];
  }

  /** Ends the timers. */
  close(): void {
    for (const chain of this.#chains.values()) clearTimeout(chain.timer);
    this.#chains.clear();
    this.#known = undefined;
  }

  #chainOf(ms: number): Chain {
    const chain = this.#chains.get(ms) ?? new Chain(ms);
    this.#chains.set(ms, chain);
    this.#known = chain;
    return chain;
  }

  #arm(chain: Chain, inMs: number): void {
    chain.timer = setTimeout(() => this.#look(chain), Math.min(inMs, MAX_TIMER_MS));
    // The link to the store keeps the process while a call is under way; the timer outlives its calls.
    chain.timer.unref();
  }

  #look(chain: Chain): void {
    chain.timer = undefined;
    for (let first = chain.after; first && first !== chain.last; first = chain.after) {
      const leftMs = first.at - performance.now();
      if (leftMs > 0) {
        this.#arm(chain, Math.ceil(leftMs));
        return;
      }
      this.forget(first);
      first.late();
    }
    // One that was made meanwhile by those that were late has a timer of its own.
    if (chain.timer === undefined && this.#chains.get(chain.ms) === chain) this.#drop(chain);
  }

  #drop(chain: Chain): void {
    this.#chains.delete(chain.ms);
    if (this.#known === chain) this.#known = undefined;
  }
}

/** The longest span that a Node timer holds, ms. */
const MAX_TIMER_MS = 2_147_483_647;
