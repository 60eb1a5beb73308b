/** Holds that are timed at once; beyond that the oldest are forgotten, as those are whose workers never came back. */
const MOST = 200_000;

/** When the jobs that are out were delivered, by their tokens. */
export class RunClock {
  readonly #starts = new Map<string, number>();

  /** @param most see {@link MOST}. @param now ms, for tests */
  constructor(
    private readonly most: number = MOST,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** A job was delivered. */
  begin(token: string): void {
    if (this.#starts.size >= this.most) {
      const [oldest] = this.#starts.keys();
      if (oldest !== undefined) this.#starts.delete(oldest);
    }
    this.#starts.set(token, this.now());
  }

  /** Its hold has ended: ms since the delivery; `undefined` for one that was not delivered here, or has ended before. */
  end(token: string): number | undefined {
    const start = this.#starts.get(token);
    if (start === undefined) return undefined;
    this.#starts.delete(token);
    return this.now() - start;
  }
}
