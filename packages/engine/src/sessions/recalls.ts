import { JobSignalKind } from '@echomq/proto/messages';
import type { Holding, SessionEffect } from './effects.js';
import type { Holdings } from './holdings.js';
import { jobSignal } from './session-messages.js';

/** A job waits for a slot at its worker for so long at most, ms; then others may have it, at other servers too. */
export const MAX_WAIT_MS = 500;

/** What was asked for. */
export interface Recalled {
  readonly effects: SessionEffect[];
  /** Jobs that are asked for now, earlier ones that are on their way included. */
  readonly asked: number;
}

/** What has waited too long. */
export interface Late {
  readonly effects: SessionEffect[];
  /** When the next one will have, ms from now; absent: none waits. */
  readonly nextInMs?: number;
}

/** Asks the worker for jobs of a queue that it has not begun, the last ones first: they would wait longest. */
export function recallJobs(holdings: Holdings, queueKey: string, count: number): Recalled {
  const waiting = holdings
    .all()
    .filter((holding) => holding.queueKey === queueKey && waits(holding))
    .reverse();
  const asked = waiting.filter(({ recalled }) => recalled).length;
  const missing = Math.max(0, count - asked);
  const more = waiting.filter(({ recalled }) => !recalled).slice(0, missing);
  return { effects: more.map(recall), asked: Math.min(count, asked) + more.length };
}

/** Asks for the jobs that have waited too long: what runs before them is no short handler. */
export function recallLate(holdings: Holdings, now: number): Late {
  const late: Holding[] = [];
  let next: Holding | undefined;
  for (const holding of holdings.all()) {
    if (!waits(holding) || holding.recalled) continue;
    if (now - holding.deliveredAt < MAX_WAIT_MS) {
      next = holding;
      break;
    }
    late.push(holding);
  }
  const effects = late.reverse().map(recall);
  return next ? { effects, nextInMs: next.deliveredAt + MAX_WAIT_MS - now } : { effects };
}

function waits({ buffered, running, reporting }: Holding): boolean {
  return buffered === true && !running && !reporting;
}

function recall(holding: Holding): SessionEffect {
  holding.recalled = true;
  return jobSignal(holding, JobSignalKind.RECALL);
}
