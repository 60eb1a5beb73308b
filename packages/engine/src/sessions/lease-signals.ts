import { JobSignalKind } from '@echomq/proto/messages';
import type { Holding, SessionEffect } from './effects.js';
import type { Holdings } from './holdings.js';
import { jobSignal } from './session-messages.js';

/** Tells the worker of the leases that have been renewed for as long as they may be, each once. */
export function outlived(holdings: Holdings, until: number): SessionEffect[] {
  const effects: SessionEffect[] = [];
  for (const holding of holdings.all()) {
    if (holding.deliveredAt > until) break;
    if (holding.outlived) continue;
    holding.outlived = true;
    effects.push(jobSignal(holding, JobSignalKind.LOCK_MAX_LIFETIME));
  }
  return effects;
}

/** Tells the worker, once, that somebody asked to cancel a job. Of one that is being ended its report tells. */
export function cancelled(holding: Holding | undefined): SessionEffect[] {
  if (!holding || holding.cancelled || holding.reporting) return [];
  holding.cancelled = true;
  return [jobSignal(holding, JobSignalKind.CANCEL_REQUESTED)];
}
