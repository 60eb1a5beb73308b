import { ChurnMap } from '@echomq/proto/churn-map';
import type { Holding, SessionEffect } from './effects.js';
import type { Windows } from './windows.js';

/** The jobs that a worker holds, with their weight in the windows. */
export class Holdings {
  /** In the order of their delivery. */
  readonly #byToken = new ChurnMap<string, Holding>();
  readonly #unaccepted = new ChurnMap<string, Holding>();

  constructor(private readonly windows: Windows) {}

  get(token: string): Holding | undefined {
    return this.#byToken.get(token);
  }

  get size(): number {
    return this.#byToken.size;
  }

  all(): Holding[] {
    return this.#byToken.values();
  }

  /** Those that were delivered by then, ms, and that nobody has accepted; oldest first. */
  unacceptedSince(time: number): Holding[] {
    const late: Holding[] = [];
    this.#unaccepted.visit((holding) => {
      const isLate = holding.deliveredAt <= time;
      if (isLate) late.push(holding);
      return isLate;
    });
    return late;
  }

  /** Takes a job in. */
  add(holding: Holding): SessionEffect {
    this.#byToken.set(holding.token, holding);
    if (!holding.accepted) this.#unaccepted.set(holding.token, holding);
    this.windows.add(holding.queueKey, holding.bytes);
    return { kind: 'keep', holding };
  }

  /** The worker has it in hand. */
  accept(holding: Holding): void {
    if (holding.accepted) return;
    holding.accepted = true;
    this.#unaccepted.delete(holding.token);
  }

  /** Lets a job go; its slot is free. */
  remove(holding: Holding): SessionEffect[] {
    if (!this.#byToken.delete(holding.token)) return [];
    if (!holding.accepted) this.#unaccepted.delete(holding.token);
    this.windows.remove(holding.queueKey, holding.bytes);
    return [{ kind: 'drop', holding }];
  }

  /** Gives jobs back to the front; their slots are free. */
  release(holdings: readonly Holding[]): SessionEffect[] {
    if (holdings.length === 0) return [];
    return [
      ...holdings.flatMap((holding) => this.remove(holding)),
      { kind: 'release', holdings },
      { kind: 'demand' },
    ];
  }
}
