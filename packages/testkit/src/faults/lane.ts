import type { Socket } from 'node:net';

/** What happens to the bytes of one direction. */
export interface Flow {
  /** Bytes wait until the flow is opened again. */
  held: boolean;
  /** Bytes are read and thrown away. */
  swallowed: boolean;
  /** How long each piece waits before it goes on, in milliseconds. */
  delayMs: number;
  /** How many bytes may still pass; then {@link Flow.onSpent} is called. Absent: any number. */
  budget?: number | undefined;
  /** Breaks what there is, once the budget is spent. */
  onSpent?: () => void;
}

/** One direction of one connection: reads from one socket, writes to the other, as its flow says. */
export class Lane {
  readonly #waiting: { readonly data: Buffer | 'end'; readonly atMs: number }[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly flow: Flow,
    from: Socket,
    private readonly to: Socket,
  ) {
    from.on('data', (data) => this.#take(data));
    from.on('end', () => this.#take('end'));
  }

  /** Sends on what may go now; called again whenever the flow changes. */
  move(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    while (!this.flow.held) {
      const first = this.#waiting[0];
      if (first === undefined) return;
      const leftMs = first.atMs - performance.now();
      if (leftMs > 0) {
        this.#timer = setTimeout(() => this.move(), leftMs);
        return;
      }
      this.#waiting.shift();
      if (first.data === 'end') this.to.end();
      else if (!this.to.destroyed) this.#write(first.data);
    }
  }

  /** Forgets what waits. */
  close(): void {
    clearTimeout(this.#timer);
    this.#waiting.length = 0;
  }

  #write(data: Buffer): void {
    const { budget } = this.flow;
    if (budget === undefined || data.length < budget) {
      if (budget !== undefined) this.flow.budget = budget - data.length;
      this.to.write(data);
      return;
    }
    this.flow.budget = undefined;
    const spent = this.flow.onSpent;
    // Not before the last byte is out: a reset would take it back.
    if (budget === 0) spent?.();
    else this.to.write(data.subarray(0, budget), () => spent?.());
  }

  #take(data: Buffer | 'end'): void {
    if (this.flow.swallowed && data !== 'end') return;
    this.#waiting.push({ data, atMs: performance.now() + this.flow.delayMs });
    this.move();
  }
}
