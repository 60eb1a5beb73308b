import { status as codes } from '@grpc/grpc-js';
import { principalOf } from '../binding/guard.js';
import type { GatewayLogger } from '../log.js';
import { LineBudget } from './line-budget.js';
import type { CallWatcher } from './watch-calls.js';

type Level = 'debug' | 'info' | 'warn' | 'error';

/** Faults of ours, of what is below us, of the caller; the rest is told when somebody looks closely. */
const LEVELS: Readonly<Partial<Record<codes, Level>>> = {
  [codes.INTERNAL]: 'error',
  [codes.DATA_LOSS]: 'error',
  [codes.UNKNOWN]: 'warn',
  [codes.UNAVAILABLE]: 'warn',
  [codes.RESOURCE_EXHAUSTED]: 'warn',
  [codes.INVALID_ARGUMENT]: 'info',
  [codes.NOT_FOUND]: 'info',
  [codes.ALREADY_EXISTS]: 'info',
  [codes.FAILED_PRECONDITION]: 'info',
  [codes.ABORTED]: 'info',
  [codes.OUT_OF_RANGE]: 'info',
  [codes.UNIMPLEMENTED]: 'info',
  [codes.DEADLINE_EXCEEDED]: 'info',
};

/**
 * A line for each call that failed, by its class: `call.failed`; for all others `call.ended` at debug. No message and
 * no payload, only who asked for what, how it ended and after how long. Callers without credentials are counted
 * elsewhere (`callers.refused`) and stand here at debug.
 */
export function callLog(logger: GatewayLogger): CallWatcher {
  const budget = new LineBudget();
  return ({ path, metadata, requestId }) => {
    return ({ code, ms, reason }) => {
      const level = LEVELS[code] ?? 'debug';
      if (level === 'debug' && !logger.debug) return;
      const left = level === 'debug' ? 0 : budget.take(`${path} ${code} ${reason}`);
      if (left === undefined) return;
      const facts = {
        requestId,
        method: path.slice(1),
        principal: principalOf(metadata),
        code: codes[code],
        reason,
        ms: Math.round(ms * 10) / 10,
        ...(left > 0 ? { leftOut: left } : {}),
      };
      if (level === 'debug') logger.debug?.('call.ended', facts);
      else logger[level]('call.failed', facts);
    };
  };
}
