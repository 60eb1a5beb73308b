import type { Clock } from '../../ports.js';

/** Something to wait for: rung by somebody, or by an aborted signal. A ring before the wait counts. */
export class Alarm {
  #rung = false;
  #wake: (() => void) | undefined;
  readonly #onAbort = () => this.ring();

  constructor(
    private readonly clock: Clock,
    private readonly signals: readonly AbortSignal[],
  ) {
    for (const signal of signals) signal.addEventListener('abort', this.#onAbort);
  }

  /** Wakes who waits, or who waits next. */
  ring(): void {
    this.#rung = true;
    this.#wake?.();
  }

  /** True when it rang, false when so many ms passed. */
  async wait(ms: number): Promise<boolean> {
    if (!this.#rung && !this.signals.some((signal) => signal.aborted)) {
      let timer: unknown;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        timer = this.clock.setTimeout(resolve, ms);
      });
      this.clock.clearTimeout(timer);
      this.#wake = undefined;
    }
    const rung = this.#rung;
    this.#rung = false;
    return rung;
  }

  /** Listens to the signals no longer. */
  close(): void {
    for (const signal of this.signals) signal.removeEventListener('abort', this.#onAbort);
  }
}
