import type { WorkerDeps } from '../services/worker/worker-deps.js';
import type { SessionEffect } from './effects.js';
import { carryNote } from './report-runner.js';

/** Progress and log lines of a stream on their way to the store. */
export class StreamNotes {
  readonly #underWay = new Map<string, Promise<void>>();

  /** @param onSignal told what the worker must hear of a note that failed. */
  constructor(
    private readonly deps: WorkerDeps,
    private readonly onSignal: (signal: SessionEffect) => void,
  ) {}

  /** Carries one. Resolves when it is stored, or its failure told. */
  carry(effect: Extract<SessionEffect, { kind: 'progress' | 'logs' }>): Promise<void> {
    const token = effect.message.lease?.leaseToken ?? '';
    const before = this.#underWay.get(token);
    const carried = carryNote(effect, this.deps).then(async (signal) => {
      if (signal) this.onSignal(signal);
      await before;
      if (this.#underWay.get(token) === carried) this.#underWay.delete(token);
    });
    this.#underWay.set(token, carried);
    return carried;
  }

  /** What of a lease is under way; whatever way it takes, the end of the job does not pass it. */
  of(token: string): Promise<void> | undefined {
    return this.#underWay.get(token);
  }
}
