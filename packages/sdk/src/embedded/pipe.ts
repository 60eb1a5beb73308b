/** Things in order from one side to the other, which gets each in a later turn than the one that sent it. */
export class Pipe<T> implements AsyncIterable<T> {
  #items: T[] = [];
  #closed = false;
  #wake: (() => void) | undefined;
  readonly #onTaken: () => void;

  /** @param onTaken called after each item that was taken */
  constructor(onTaken: () => void = () => {}) {
    this.#onTaken = onTaken;
  }

  /** How many wait to be taken. */
  get length(): number {
    return this.#items.length;
  }

  /** Adds one; nothing after {@link close}. */
  push(item: T): void {
    if (this.#closed) return;
    this.#items.push(item);
    this.#wake?.();
  }

  /** Ends it: what waits is still taken. */
  close(): void {
    this.#closed = true;
    this.#wake?.();
  }

  /** Ends it and drops what waits. */
  discard(): void {
    this.#items = [];
    this.close();
  }

  [Symbol.asyncIterator](): AsyncIterator<T, void, undefined> {
    let taking = false;
    const next = (): Promise<IteratorResult<T, undefined>> => {
      // As a loop does it: who asks for the next one is done with the one before.
      if (taking) this.#onTaken();
      taking = this.#items.length > 0;
      if (taking) return Promise.resolve({ done: false, value: this.#items.shift() as T });
      if (this.#closed) return Promise.resolve({ done: true, value: undefined });
      return new Promise((resolve) => {
        this.#wake = () => {
          this.#wake = undefined;
          resolve(next());
        };
      });
    };
    return { next, return: () => Promise.resolve({ done: true, value: undefined }) };
  }
}
