import type { RedisClient } from '@echomq/core';
import type { Clock, EngineLogger } from '../ports.js';
import type { CommandResult } from './watched-redis.js';

/** Away for so long, the store counts as gone, ms: with a check's interval it is known before 5 s are over. */
const AWAY_MS = 4_500;
/** Without a sign of life for so long it is asked for one, ms. */
const QUIET_MS = 1_000;
const CHECK_MS = 250;

/**
 * Whether work can flow: false while the store has been away for 5 s, true again at the first command that
 * goes through, false for good once the engine leaves.
 */
export class Readiness {
  readonly #listeners = new Set<(ready: boolean) => void>();
  #ready = false;
  #leaving = false;
  #okAt: number;
  /** The server answers but refuses to work: only a write that goes through proves the contrary. */
  #refused = false;
  #probing = false;
  /** That the store is away stands in the log. */
  #told = false;
  #timer: unknown;

  constructor(
    private readonly ports: {
      readonly clock: Clock;
      readonly logger: EngineLogger;
      /** A key that is never written; deleting it is a write that changes nothing. */
      readonly probeKey: string;
    },
  ) {
    this.#okAt = ports.clock.now();
  }

  get ready(): boolean {
    return this.#ready;
  }

  /** Calls back at each change. Returns the way to stop that. */
  onChange(listener: (ready: boolean) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Begins to look. */
  start(redis: RedisClient): void {
    this.#timer = this.ports.clock.setTimeout(() => {
      this.start(redis);
      const now = this.ports.clock.now();
      if (now - this.#okAt > AWAY_MS) this.#away(redis);
      if (!this.#ready || now - this.#okAt > QUIET_MS) void this.#probe(redis);
    }, CHECK_MS);
  }

  /** The engine is about to leave. */
  leave(): void {
    this.#leaving = true;
    this.#turn(false);
  }

  stop(): void {
    this.ports.clock.clearTimeout(this.#timer);
  }

  /** What came of a command. */
  note(result: CommandResult): void {
    if (result === 'refused') this.#refused = true;
    if (result !== 'ok' || this.#refused) return;
    this.#okAt = this.ports.clock.now();
    this.#told = false;
    this.#turn(true);
  }

  async #probe(redis: RedisClient): Promise<void> {
    if (this.#probing || !redis.ready) return;
    this.#probing = true;
    try {
      await redis.send(this.#refused ? 'DEL' : 'PING', this.#refused ? [this.ports.probeKey] : []);
      this.#refused = false;
      this.note('ok');
    } catch {
      // It says so by its silence.
    } finally {
      this.#probing = false;
    }
  }

  #away({ problem }: RedisClient): void {
    this.#turn(false);
    if (this.#told || this.#leaving) return;
    this.#told = true;
    // Also where it was never there: a wrong address or password is found by this line.
    this.ports.logger.warn('store.away', problem === undefined ? {} : { problem });
  }

  #turn(ready: boolean): void {
    const next = ready && !this.#leaving;
    if (next === this.#ready) return;
    this.#ready = next;
    if (!this.#leaving) this.ports.logger[next ? 'info' : 'warn']('ready.changed', { ready: next });
    for (const listener of this.#listeners) listener(next);
  }
}
