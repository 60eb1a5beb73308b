import { EchoMQError } from '@echomq/core';
import type { CallContext } from '@echomq/engine';
import type { Metadata } from '@grpc/grpc-js';
import type { Access } from '../access/access.js';
import type { Credential, Principal } from '../access/principal.js';
import type { ReportBug } from '../status-codes.js';
import type { Decode } from './codec.js';
import { credentialOf } from './guard.js';

/** What a handler of any kind is made of. */
export interface Binding<Run> {
  /** The method, of the engine that serves a namespace. */
  readonly runOf: (namespace: string) => Run;
  readonly decode: Decode;
  readonly encode: (response: unknown) => Uint8Array;
  /** Throws QUEUE_ACCESS_DENIED for a request that names a queue which the principal may not use so. */
  readonly check: (principal: Principal, request: unknown) => void;
  /** Whether a request may wait for something to happen. */
  readonly mayWait: (request: unknown) => boolean;
  readonly access: Access;
  readonly reportBug: ReportBug;
  /** How long a full stream may stay full with nothing read from it, ms. */
  readonly maxUnreadMs: number;
}

/** What a handler goes through before the engine hears of a call, in this order: who, what, whether, in time. */
export function admit<Run>(
  call: { readonly metadata: Metadata; readonly request: Buffer },
  context: CallContext,
  { decode, check, runOf }: Pick<Binding<Run>, 'decode' | 'check' | 'runOf'>,
): { readonly credential: Credential; readonly request: unknown; readonly run: Run } {
  const credential = credentialOf(call);
  const { principal } = credential;
  const request = decode(call.request);
  check(principal, request);
  refuseLate(context);
  return { credential, request, run: runOf(principal.namespace) };
}

/** Stops a call whose deadline passed on the way, before Redis sees anything. */
function refuseLate(context: CallContext): void {
  if (context.deadline === undefined || context.deadline > Date.now()) return;
  throw new EchoMQError('the deadline had passed when the call arrived; nothing was executed', {
    code: 'DEADLINE_EXCEEDED',
    reason: 'DEADLINE_EXCEEDED',
  });
}
