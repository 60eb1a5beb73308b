import { EchoMQError } from '@echomq/core';
import type { Unary } from '../service.js';

/** Methods that answer FEATURE_DISABLED, so that GetServerInfo can tell them from the others. */
const disabled = new WeakSet<object>();

/** A method that is not served; `rpc` is its name in the contract. */
export function unavailable<Request, Response>(rpc: string): Unary<Request, Response> {
  const method: Unary<Request, Response> = async () => {
    throw new EchoMQError(`${rpc} is not served here`, {
      code: 'UNIMPLEMENTED',
      reason: 'FEATURE_DISABLED',
      metadata: { rpc },
    });
  };
  disabled.add(method);
  return method;
}

/** Whether a method of a service does what its name says. */
export function isServed(method: object): boolean {
  return !disabled.has(method);
}
