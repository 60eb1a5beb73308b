import { ContractBroken, EchoMQError, StoreFull, StoreUnavailable } from './errors.js';
import { RedisLinkError } from './redis-client.js';

/** Error texts of a server that did nothing: it loads, is read-only, has no quorum, refuses the user. */
const NOTHING_DONE =
  /\b(READONLY|LOADING|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|BUSY|NOAUTH|WRONGPASS|NOPERM|NOREPLICAS|MISCONF)\b/;

/**
 * What a failed command means. Redis 6.2 wraps the text of a script's error, so the words are searched for in the
 * whole message.
 *
 * @param what the script or command, for the message of an internal error.
 */
export function translateStoreError(error: unknown, what: string): EchoMQError {
  if (error instanceof EchoMQError) return error;
  if (error instanceof RedisLinkError) {
    const state = error.sent ? 'the link to the store broke' : 'the store cannot be reached';
    return new StoreUnavailable(state, error.sent, error);
  }
  const text = error instanceof Error ? error.message : String(error);
  if (/\bOOM\b/.test(text)) return new StoreFull(error);
  if (/user executing the script can't/.test(text)) {
    return new ContractBroken(`${what} failed: the store's user lacks a permission`, error);
  }
  const word = NOTHING_DONE.exec(text)?.[1];
  if (word) return new StoreUnavailable(`the store refuses to work (${word})`, false, error);
  if (/CROSSSLOT|non local key/.test(text)) {
    return new EchoMQError('the keys lie in different slots of the cluster', {
      code: 'FAILED_PRECONDITION',
      reason: 'CROSS_SLOT',
      cause: error,
    });
  }
  return new ContractBroken(`${what} failed`, error);
}
