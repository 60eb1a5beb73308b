import { ContractBroken, EchoMQError, RedisLinkError, StoreUnavailable } from '@echomq/core';
import { errorReport } from '../messages/status.js';
import type { EngineDeps } from '../ports.js';
import type { CallContext, ServerStream, Unary } from '../service.js';

/** What a method is wrapped with. */
type MethodDeps = Pick<EngineDeps, 'clock'> & Partial<Pick<EngineDeps, 'logger'>>;

/**
 * A method that changes something. It is not begun when the caller has gone or its deadline has passed, and rejects with
 * an `EchoMQError` only. A bug of ours is logged under the id that the answer tells.
 */
export function writeMethod<Request, Response>(
  deps: MethodDeps,
  method: Unary<Request, Response>,
): Unary<Request, Response> {
  const failed = (error: unknown): never => {
    throw ours(error, deps);
  };
  // No async function: this is around every call, and each would cost a call as much as one of its steps.
  return (request, context) => {
    try {
      refuseWhenLate(deps, context);
      return method(request, context).then(undefined, failed);
    } catch (error) {
      return Promise.reject(ours(error, deps));
    }
  };
}

/** A method that only reads: as {@link writeMethod}, and a broken link leaves no outcome unknown. */
export function readMethod<Request, Response>(
  deps: MethodDeps,
  method: Unary<Request, Response>,
): Unary<Request, Response> {
  const checked = writeMethod(deps, method);
  const failed = (error: unknown): never => {
    throw unapplied(error);
  };
  return (request, context) => checked(request, context).then(undefined, failed);
}

/** A stream that only reads, with the same errors as {@link readMethod}. */
export function readStream<Request, Response>(
  deps: MethodDeps,
  method: ServerStream<Request, Response>,
): ServerStream<Request, Response> {
  return async function* stream(request, context) {
    refuseWhenLate(deps, context);
    try {
      yield* method(request, context);
    } catch (error) {
      throw unapplied(ours(error, deps));
    }
  };
}

/** A read has changed nothing, however its link ended. */
function unapplied(error: unknown): unknown {
  if (!(error instanceof StoreUnavailable && error.mayHaveApplied)) return error;
  return new StoreUnavailable(error.message, false, error);
}

/**
 * Refuses a call whose caller no longer waits. Nothing was sent to the store.
 *
 * @throws EchoMQError DEADLINE_EXCEEDED.
 */
export function refuseWhenLate({ clock }: Pick<EngineDeps, 'clock'>, context: CallContext): void {
  const late = context.deadline !== undefined && context.deadline <= clock.now();
  const gone = context.gone ?? context.signal.aborted;
  if (!late && !gone) return;
  throw new EchoMQError('the caller no longer waited when the call was to begin', {
    code: 'DEADLINE_EXCEEDED',
    reason: 'DEADLINE_EXCEEDED',
    retryable: true,
  });
}

/** Anything that is no error of ours is a bug of ours, but for a link that broke under a plain command. */
function ours(error: unknown, { logger }: MethodDeps): EchoMQError {
  if (error instanceof RedisLinkError) {
    return new StoreUnavailable('the store cannot be reached', error.sent, error);
  }
  const known = error instanceof EchoMQError ? error : new ContractBroken('a method failed', error);
  const { id } = errorReport(known);
  if (id !== undefined) {
    logger?.error('rpc.failed', { id, error: known.message, cause: String(known.cause ?? '') });
  }
  return known;
}
