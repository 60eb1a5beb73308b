/** One thing that a producer, a worker or the test itself saw. `at` is ms of one clock. */
export type Entry = { readonly at: number } & (
  | { readonly kind: 'accepted'; readonly job: string }
  /** A handler begins; `run` is a name of this delivery that no other has, its lease token for example. */
  | { readonly kind: 'started'; readonly job: string; readonly run: string }
  /** The handler has returned, was told that its run no longer counts, or its process is gone. */
  | { readonly kind: 'over'; readonly job: string; readonly run: string }
  /** The worker was told that its end is stored. */
  | {
      readonly kind: 'ended';
      readonly job: string;
      readonly run: string;
      readonly end: 'completed' | 'failed' | 'again';
    }
  /** The run's lease is gone: it was refused, told so, or its process was killed. */
  | { readonly kind: 'lost'; readonly job: string; readonly run: string }
  /** Removed, on purpose. */
  | { readonly kind: 'removed'; readonly job: string }
);

/** An entry before its time is noted. */
export type Note = Entry extends infer E ? (E extends Entry ? Omit<E, 'at'> : never) : never;

/** A log of what was seen, in the order in which it was noted. */
export class History {
  readonly entries: Entry[] = [];

  constructor(
    private readonly now: () => number = () => performance.timeOrigin + performance.now(),
  ) {}

  /** Notes what has just been seen. */
  note(entry: Note, at: number = this.now()): void {
    this.entries.push({ ...entry, at } as Entry);
  }

  /** How many entries there are of a kind. */
  count(kind: Entry['kind']): number {
    return this.entries.filter((entry) => entry.kind === kind).length;
  }

  /** The runs of a job by their names, in the order of their beginnings. */
  runsOf(job: string): string[] {
    return this.entries.flatMap((entry) =>
      entry.kind === 'started' && entry.job === job ? [entry.run] : [],
    );
  }
}
