import { EchoMQError } from '@echomq/core';
import type { Caller } from '@echomq/dashboard';
import type { CallContext, Services, Unary } from '@echomq/engine';
import { Metadata } from '@grpc/grpc-js';
import type { Access } from '../access/access.js';
import type { PeerCall } from '../access/certificate.js';
import type { Principal } from '../access/principal.js';
import { ACCESS_RULES, type AccessRule, accessCheck } from '../access/queue-access.js';
import { credentialsInvalid } from '../access/refusals.js';
import { maskOf } from '../access/rights.js';
import type { ServicesSource } from '../binding/services.js';

const READ = maskOf(['read']);
const ADMIN = maskOf(['admin']);

/** Browsers sign in with a token: no certificate counts here. */
const NO_CERTIFICATE: PeerCall = { getAuthContext: () => ({}) };

/** The services of which the dashboard knows. */
type Shown = Pick<Services, 'queue' | 'scheduler'>;

/** From an `authorization` header to who calls, by the same file, keys and rules as over gRPC. */
export function callersOf(
  source: ServicesSource,
  { authenticator, refusals }: Pick<Access, 'authenticator' | 'refusals'>,
): (authorization: string | undefined, peer: string) => Promise<Caller> {
  const known = new WeakMap<Principal, Caller>();
  return async (authorization, peer) => {
    try {
      const metadata = metadataOf(authorization);
      const { principal } = await authenticator.authenticate(metadata, NO_CERTIFICATE);
      let caller = known.get(principal);
      if (!caller) {
        caller = callerOf(principal, source.servicesOf(principal.namespace));
        known.set(principal, caller);
      }
      return caller;
    } catch (error) {
      if (error instanceof EchoMQError) refusals.note(error, peer);
      throw error;
    }
  };
}

/** @throws EchoMQError for a header that holds what no metadata may: it is no token, and no bug of ours */
function metadataOf(authorization: string | undefined): Metadata {
  const metadata = new Metadata();
  try {
    if (authorization !== undefined) metadata.set('authorization', authorization);
  } catch {
    throw credentialsInvalid();
  }
  return metadata;
}

function callerOf(principal: Principal, services: Services): Caller {
  const { name, namespace, rights } = principal;
  return {
    name,
    namespace,
    services: {
      queue: checked('queue', services, principal),
      scheduler: checked('scheduler', services, principal),
    },
    mayChange: (queue) => rights.may(ADMIN, queue),
  };
}

/** A service each of whose methods looks at the rights before the engine hears of the call. */
function checked<S extends keyof Shown>(
  key: S,
  services: Services,
  principal: Principal,
): Shown[S] {
  const rules = ACCESS_RULES[key] as unknown as Readonly<Record<string, AccessRule<never>>>;
  const api = services[key] as unknown as Readonly<Record<string, Unary<unknown, unknown>>>;
  const methods = Object.entries(rules).map(([method, rule]) => {
    const check = accessCheck(rule);
    const run: Unary<unknown, unknown> = async (request, context) => {
      check(principal, request);
      const call = api[method];
      if (!call) throw new TypeError(`the engine does not serve ${key}.${method}`);
      return call.call(api, request, contextOf(principal, context));
    };
    return [method, run] as const;
  });
  return Object.fromEntries(methods) as unknown as Shown[S];
}

function contextOf({ name, rights }: Principal, context: CallContext): CallContext {
  return { ...context, principal: name, mayRead: (queue) => rights.may(READ, queue) };
}
