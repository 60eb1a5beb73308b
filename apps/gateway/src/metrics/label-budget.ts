/** What stands for all that have no label of their own. */
export const OTHER = 'other';

/** Keeps a label to so many values: the first that come have their own, all others are {@link OTHER}. */
export class LabelBudget {
  readonly #known = new Set<string>();

  constructor(private readonly most: number) {}

  /** The label of a value. */
  of(value: string): string {
    if (this.#known.has(value)) return value;
    if (this.#known.size >= this.most) return OTHER;
    this.#known.add(value);
    return value;
  }

  /** Its label is free for another. */
  release(value: string): void {
    this.#known.delete(value);
  }

  /** Those with a label of their own. */
  get known(): ReadonlySet<string> {
    return this.#known;
  }
}
