import type { EchoMQError } from '@echomq/core';
import type { EngineLogger } from '@echomq/engine';

/** Between two lines about the same reason, ms. */
const PAUSE_MS = 10_000;

/**
 * Tells the log of refused callers, a line per reason at most each ten seconds with how many there were: whoever tries
 * passwords fills no disk. Neither tokens nor what was asked for are told.
 */
export class RefusalLog {
  readonly #seen = new Map<string, { count: number; toldAt: number }>();

  constructor(private readonly logger: EngineLogger) {}

  /** Notes a refusal. `peer` is the address of the caller. */
  note({ reason }: EchoMQError, peer: string): void {
    const seen = this.#seen.get(reason) ?? { count: 0, toldAt: Number.NEGATIVE_INFINITY };
    this.#seen.set(reason, seen);
    seen.count += 1;
    const now = performance.now();
    if (now - seen.toldAt < PAUSE_MS) return;
    this.logger.warn('callers.refused', { reason, count: seen.count, lastPeer: peer });
    seen.count = 0;
    seen.toldAt = now;
  }
}
