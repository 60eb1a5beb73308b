/** Those who wait for a change. */
export class Waiters {
  readonly #waiting = new Set<() => void>();

  /** There is a change. */
  tell(): void {
    for (const look of [...this.#waiting]) look();
  }

  /** Resolves at the next change. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      const look = () => {
        this.#waiting.delete(look);
        resolve();
      };
      this.#waiting.add(look);
    });
  }

  /**
   * Resolves to true when `done` is true: asked now and at each change. To false after `limitMs`, if that is finite.
   */
  until(done: () => boolean, limitMs: number): Promise<boolean> {
    if (done()) return Promise.resolve(true);
    return new Promise((resolve) => {
      let timer: NodeJS.Timeout | undefined;
      const end = (result: boolean) => {
        clearTimeout(timer);
        this.#waiting.delete(look);
        resolve(result);
      };
      const look = () => {
        if (done()) end(true);
      };
      this.#waiting.add(look);
      if (Number.isFinite(limitMs)) timer = setTimeout(() => end(false), Math.max(0, limitMs));
    });
  }
}
