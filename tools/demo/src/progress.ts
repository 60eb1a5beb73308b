import type { JobState, Queue } from '@echomq/sdk';

/** Where progress is written: `process.stdout`, or what a test has instead. */
export interface Screen {
  write(text: string): unknown;
  /** True where lines can be drawn over. */
  readonly isTTY?: boolean | undefined;
}

/** The locations as the user sees them, in the order in which jobs pass through. */
const STATES = [
  'waiting',
  'prioritized',
  'delayed',
  'active',
  'completed',
  'failed',
] as const satisfies readonly JobState[];

const REDRAW_MS = 200;
const LINE_MS = 1_000;
const BAR = 40;

/** How many jobs are in each location. */
export type Counts = Readonly<Partial<Record<JobState, number>>>;

/**
 * The live progress: on a terminal one line per location, redrawn; elsewhere one line each second. Only
 * {@link LiveProgress.say} may write besides while it runs.
 */
export class LiveProgress {
  readonly #startedAt = performance.now();
  #timer: NodeJS.Timeout | undefined;
  #counts: Counts = {};
  #drawn = 0;
  #asking: Promise<void> = Promise.resolve();

  constructor(
    private readonly screen: Screen,
    private readonly queue: Pick<Queue, 'getJobCounts'>,
  ) {}

  /** Begins to show. The first answer of the gateway comes with the first interval. */
  start(onError: (error: unknown) => void): void {
    const every = this.screen.isTTY ? REDRAW_MS : LINE_MS;
    this.#timer = setInterval(() => {
      this.#asking = this.show().catch(onError);
    }, every);
  }

  /** Ends; what was shown last stays. */
  async stop(): Promise<void> {
    if (this.#timer === undefined) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
    await this.#asking;
    this.#drawn = 0;
  }

  /** Writes a line that stays. */
  say(line: string): void {
    this.#erase();
    this.screen.write(`${line}\n`);
    if (this.#timer !== undefined && this.screen.isTTY) this.#draw();
  }

  /** Shows how it stands now. */
  async show(): Promise<void> {
    this.#counts = await this.queue.getJobCounts();
    if (this.#timer === undefined) return;
    if (!this.screen.isTTY) {
      this.screen.write(`${this.#clock()}  ${oneLine(this.#counts)}\n`);
      return;
    }
    this.#erase();
    this.#draw();
  }

  #draw(): void {
    const lines = [`${this.#clock()}`, ...bars(this.#counts)];
    this.screen.write(`${lines.join('\n')}\n`);
    this.#drawn = lines.length;
  }

  #erase(): void {
    // Up to the first line drawn, then clear to the end of the screen.
    if (this.#drawn > 0) this.screen.write(`\u001b[${this.#drawn}A\u001b[J`);
    this.#drawn = 0;
  }

  #clock(): string {
    return `${((performance.now() - this.#startedAt) / 1_000).toFixed(1).padStart(5)} s`;
  }
}

/** All locations in one line. */
export function oneLine(counts: Counts): string {
  return STATES.map((state) => `${state} ${counts[state] ?? 0}`).join('  ');
}

/** A line per location with a bar for its share. */
export function bars(counts: Counts): readonly string[] {
  const all = Math.max(1, ...[STATES.reduce((sum, state) => sum + (counts[state] ?? 0), 0)]);
  return STATES.map((state) => {
    const count = counts[state] ?? 0;
    const filled = count === 0 ? 0 : Math.max(1, Math.round((count / all) * BAR));
    return `${state.padEnd(12)}${String(count).padStart(7)}  ${'█'.repeat(filled)}`;
  });
}
