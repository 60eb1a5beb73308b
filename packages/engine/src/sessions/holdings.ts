import type { Holding, SessionEffect } from './effects.js';
import type { Windows } from './windows.js';

/** The jobs that a worker holds, with their weight in the windows. */
export class Holdings {
  /** In the order of their delivery. */
  readonly #byToken = new Map<string, Holding>();
  readonly #unaccepted = new Set<Holding>();

  constructor(private readonly windows: Windows) {}

  get(token: string): Holding | undefined {
    return this.#byToken.get(token);
  }

  get size(): number {
    return this.#byToken.size;
  }

  all(): IterableIterator<Holding> {
    return this.#byToken.values();
  }

  /** Those that nobody has accepted, oldest first. */
  unaccepted(): ReadonlySet<Holding> {
    return this.#unaccepted;
  }

  /** Takes a job in. */
  add(holding: Holding): SessionEffect {
    this.#byToken.set(holding.token, holding);
    if (!holding.accepted) this.#unaccepted.add(holding);
    this.windows.add(holding.queueKey, holding.bytes);
    return { kind: 'keep', holding };
  }

  /** The worker has it in hand. */
  accept(holding: Holding): void {
    holding.accepted = true;
    this.#unaccepted.delete(holding);
  }

  /** Lets a job go; its slot is free. */
  remove(holding: Holding): SessionEffect[] {
    if (!this.#byToken.delete(holding.token)) return [];
    this.#unaccepted.delete(holding);
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
