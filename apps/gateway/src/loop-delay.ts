import { monitorEventLoopDelay } from 'node:perf_hooks';

/** What measures how late the event loop is. */
export interface DelayGauge {
  /** The delay of 99 % of the turns since the last reset, ms. */
  p99(): number;
  reset(): void;
  /** Ends the measurement. */
  stop(): void;
}

/** Between two looks at the gauge. */
const LOOK_MS = 1_000;
/** Looks in a row that must be calm before the process counts as well again. */
const CALM_LOOKS = 3;
/** Between two samples. */
const RESOLUTION_MS = 20;

/** The gauge of this process. */
export function loopGauge(): DelayGauge {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  histogram.enable();
  return {
    // What it tells includes its own interval.
    p99: () => Math.max(0, histogram.percentile(99) / 1e6 - RESOLUTION_MS),
    reset: () => histogram.reset(),
    stop: () => histogram.disable(),
  };
}

/**
 * Tells whether this process keeps up: not while its event loop was later than a limit within the last seconds. One
 * that stands still answers nobody, and renews no lease: calls are better sent elsewhere.
 */
export class LoopDelay {
  readonly #timer: NodeJS.Timeout | undefined;
  #calm = CALM_LOOKS;

  /**
   * @param limitMs 0: however late it is, it keeps up.
   * @param onChange called after {@link keepsUp} has changed.
   */
  constructor(
    private readonly limitMs: number,
    private readonly onChange: () => void,
    private readonly gauge: DelayGauge = loopGauge(),
  ) {
    if (limitMs === 0) {
      gauge.stop();
      return;
    }
    this.#timer = setInterval(() => this.look(), LOOK_MS);
    this.#timer.unref();
  }

  /** Whether the event loop has been in time for the last seconds. */
  get keepsUp(): boolean {
    return this.#calm >= CALM_LOOKS;
  }

  /** Reads the gauge, which begins anew. The timer does it each second. */
  look(): void {
    const before = this.keepsUp;
    this.#calm = this.gauge.p99() > this.limitMs ? 0 : this.#calm + 1;
    this.gauge.reset();
    if (this.keepsUp !== before) this.onChange();
  }

  /** Ends it. */
  close(): void {
    clearInterval(this.#timer);
    if (this.limitMs > 0) this.gauge.stop();
  }
}
