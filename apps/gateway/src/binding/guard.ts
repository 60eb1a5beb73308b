import { EchoMQError } from '@echomq/core';
import {
  type Metadata,
  ServerInterceptingCall,
  type ServerInterceptor,
  type ServerListener,
} from '@grpc/grpc-js';
import type { Access } from '../access/access.js';
import type { Credential } from '../access/principal.js';
import { metadataTooLarge, reflectionDenied } from '../access/refusals.js';
import { type ReportBug, toErrorAnswer } from '../status-codes.js';

/** What the guard goes by. */
export interface GuardOptions {
  readonly access: Access;
  readonly reportBug: ReportBug;
  /** Bytes of names and values in the metadata of a call. */
  readonly maxMetadataBytes: number;
  /** Whether reflection is for administrators alone. */
  readonly guardReflection: boolean;
}

/** What the guard found out about a call, by its metadata: they alone reach its handler. */
const admitted = new WeakMap<Metadata, Credential>();

/** Who calls. The guard has let the call pass, so that there is an answer. */
export function credentialOf(call: { readonly metadata: Metadata }): Credential {
  const credential = admitted.get(call.metadata);
  if (!credential) throw new Error('a call came past the guard');
  return credential;
}

/** The name of who calls, once that is known. */
export function principalOf(metadata: Metadata): string | undefined {
  return admitted.get(metadata)?.principal.name;
}

type Call = Parameters<ServerInterceptor>[1];

/**
 * Stands before all services. A call is refused on its headers alone: nothing of its message has been read by then, no
 * handler has run and no engine has heard of it.
 */
export function guard(options: GuardOptions): ServerInterceptor {
  return ({ path }, call) => {
    let gone = false;
    const onReceiveMetadata: NonNullable<ServerListener['onReceiveMetadata']> = (
      metadata,
      next,
    ) => {
      const refuse = (error: unknown) => {
        if (error instanceof EchoMQError) options.access.refusals.note(error, call.getPeer());
        if (!gone) call.sendStatus(toErrorAnswer(error, options.reportBug));
      };
      const pass = (credential: Credential | undefined) => {
        if (credential) admitted.set(metadata, credential);
        // A handler for a call that is over would never hear that it is.
        if (!gone) next(metadata);
      };
      try {
        const found = admit(path, metadata, call, options);
        if (found instanceof Promise) found.then(pass, refuse);
        else pass(found);
      } catch (error) {
        refuse(error);
      }
    };
    return new ServerInterceptingCall(call, {
      start: (next) =>
        next({
          onReceiveMetadata,
          onCancel: () => {
            gone = true;
          },
        }),
    });
  };
}

function admit(
  path: string,
  metadata: Metadata,
  call: Call,
  options: GuardOptions,
): Credential | undefined | Promise<Credential> {
  const { access, maxMetadataBytes, guardReflection } = options;
  if (sizeOf(metadata) > maxMetadataBytes) throw metadataTooLarge(maxMetadataBytes);
  if (path.startsWith('/grpc.health.')) return undefined;
  const reflection = path.startsWith('/grpc.reflection.');
  if (reflection && !guardReflection) return undefined;
  const credential = access.authenticator.authenticate(metadata, call);
  if (!reflection) return credential;
  return credential instanceof Promise ? credential.then(administrator) : administrator(credential);
}

function administrator(credential: Credential): Credential {
  if (!credential.principal.rights.mayAnywhere('admin')) throw reflectionDenied();
  return credential;
}

function sizeOf(metadata: Metadata): number {
  let size = 0;
  for (const [name, values] of Object.entries(metadata.toHttp2Headers())) {
    for (const value of Array.isArray(values) ? values : [values ?? '']) {
      size += name.length + String(value).length;
    }
  }
  return size;
}
