/** Lines of one kind in one second. */
const MOST = 10;
const SECOND_MS = 1_000;

/** Keeps a flood of the same line out of the log: at most ten a second of each kind, then a count of what was left out. */
export class LineBudget {
  readonly #kinds = new Map<string, { from: number; told: number; left: number }>();

  /** @param now ms */
  constructor(private readonly now: () => number = () => performance.now()) {}

  /**
   * Whether a line of this kind may be written.
   *
   * @returns `undefined` if not, else how many were left out before it
   */
  take(kind: string): number | undefined {
    const now = this.now();
    let state = this.#kinds.get(kind);
    if (!state) {
      state = { from: now, told: 0, left: 0 };
      this.#kinds.set(kind, state);
    }
    if (now - state.from >= SECOND_MS) {
      state.from = now;
      state.told = 0;
    }
    if (state.told >= MOST) {
      state.left++;
      return undefined;
    }
    state.told++;
    const { left } = state;
    state.left = 0;
    return left;
  }
}
