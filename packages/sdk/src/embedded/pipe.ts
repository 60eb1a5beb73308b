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

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    for (;;) {
      const [item] = this.#items;
      if (item !== undefined) {
        this.#items.shift();
        yield item;
        this.#onTaken();
      } else if (this.#closed) {
        return;
      } else {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
        this.#wake = undefined;
      }
    }
  }
}
