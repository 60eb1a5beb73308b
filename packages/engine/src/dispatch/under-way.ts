/** What has begun and not yet ended, so that a close can wait for it. */
export class UnderWay {
  readonly #work = new Set<Promise<void>>();

  /** Notes work that has begun. */
  track(work: Promise<void>): Promise<void> {
    this.#work.add(work);
    const done = () => this.#work.delete(work);
    work.then(done, done);
    return work;
  }

  /** Whether something is under way. */
  get busy(): boolean {
    return this.#work.size > 0;
  }

  /** Resolves when nothing is under way, however it ended. */
  async settled(): Promise<void> {
    while (this.#work.size > 0) await Promise.allSettled(this.#work);
  }
}
