import type { EndedRequest } from '@echomq/dashboard';
import type { GatewayLogger } from '../log.js';
import { LineBudget } from '../watching/line-budget.js';

/** Faults of ours or of what is below us. */
const FAULTS = new Set(['INTERNAL', 'DATA_LOSS', 'UNKNOWN', 'UNAVAILABLE']);

/**
 * What somebody changed through the dashboard is a line, whoever asks later who paused the queue; what failed is one too.
 * Reading is told at debug. Callers without credentials are counted elsewhere (`callers.refused`).
 */
export function requestLog(logger: GatewayLogger): (request: EndedRequest) => void {
  const budget = new LineBudget();
  return ({ caller, ms, ...told }) => {
    const { what, code, reason } = told;
    const facts = { ...told, principal: caller, ms: Math.round(ms * 10) / 10 };
    if (code === undefined) {
      if (what.startsWith('change.')) logger.info('dashboard.changed', facts);
      else logger.debug?.('dashboard.read', facts);
      return;
    }
    if (caller === undefined) {
      logger.debug?.('dashboard.refused', facts);
      return;
    }
    const left = budget.take(`${code} ${reason}`);
    if (left === undefined) return;
    const line = left > 0 ? { ...facts, leftOut: left } : facts;
    if (FAULTS.has(code)) logger.warn('dashboard.failed', line);
    else logger.info('dashboard.failed', line);
  };
}
