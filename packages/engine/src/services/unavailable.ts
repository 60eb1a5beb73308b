import { EchoMQError } from '@echomq/core';
import type { EventApi, SchedulerApi, ServerStream, Unary } from '../service.js';

/** Methods that answer FEATURE_DISABLED, so that GetServerInfo can tell them from the others. */
const disabled = new WeakSet<object>();

/** The error for a field of a served rpc that this server cannot keep its word on. */
export function featureDisabled(feature: string): EchoMQError {
  return notServed(feature, { feature });
}

function notServed(what: string, metadata: Readonly<Record<string, string>>): EchoMQError {
  return new EchoMQError(`${what} is not served here`, {
    code: 'UNIMPLEMENTED',
    reason: 'FEATURE_DISABLED',
    metadata,
  });
}

/** A method that is not served; `rpc` is its name in the contract. */
export function unavailable<Request, Response>(rpc: string): Unary<Request, Response> {
  const method: Unary<Request, Response> = async () => {
    throw notServed(rpc, { rpc });
  };
  disabled.add(method);
  return method;
}

/** A stream that is not served: it ends at once with the error. */
export function unavailableStream<Request, Response>(rpc: string): ServerStream<Request, Response> {
  const method: ServerStream<Request, Response> = () => ({
    [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(notServed(rpc, { rpc })) }),
  });
  disabled.add(method);
  return method;
}

/** Whether a method of a service does what its name says. */
export function isServed(method: object): boolean {
  return !disabled.has(method);
}

/** SchedulerService: none of it is served. */
export function schedulerService(): SchedulerApi {
  return {
    upsertScheduler: unavailable('UpsertScheduler'),
    getScheduler: unavailable('GetScheduler'),
    listSchedulers: unavailable('ListSchedulers'),
    removeScheduler: unavailable('RemoveScheduler'),
    previewSchedule: unavailable('PreviewSchedule'),
  };
}

/** EventService: none of it is served. */
export function eventService(): EventApi {
  return {
    subscribe: unavailableStream('Subscribe'),
    pollEvents: unavailable('PollEvents'),
  };
}
