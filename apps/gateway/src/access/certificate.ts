import type { PeerCertificate } from 'node:tls';
import { streamBelow } from '../http2-below.js';

/** Who a client certificate says that its owner is. */
export interface CertificateIdentity {
  /** The first URI among its alternative names, else `CN=` and its common name; so none can pass for the other. */
  readonly identity: string;
  /** The end of the certificate's validity, ms since the epoch. */
  readonly expiresAtMs: number;
}

/** The identity in a certificate that the handshake has verified; `undefined` where it has none. */
export function certificateIdentity(peer: PeerCertificate): CertificateIdentity | undefined {
  const commonName: unknown = peer.subject?.CN;
  const named =
    typeof commonName === 'string' && commonName !== '' ? `CN=${commonName}` : undefined;
  const identity = firstUri(peer.subjectaltname ?? '') ?? named;
  const expiresAtMs = Date.parse(peer.valid_to);
  return identity === undefined || Number.isNaN(expiresAtMs)
    ? undefined
    : { identity, expiresAtMs };
}

/**
 * Node writes the names as `DNS:a, URI:b`, and one that holds a comma or a quote as a JSON string, so that none can look
 * like two.
 */
function firstUri(names: string): string | undefined {
  for (const [, kind, quoted, bare] of names.matchAll(
    /(?:^|, )([A-Za-z ]+):(?:("(?:[^"\\]|\\.)*")|([^,]*))(?=, |$)/g,
  )) {
    if (kind !== 'URI') continue;
    return quoted === undefined ? bare : (JSON.parse(quoted) as string);
  }
  return undefined;
}

/** What is needed of a call to learn of its peer. */
export interface PeerCall {
  getAuthContext(): { readonly sslPeerCertificate?: PeerCertificate };
}

/** The identity in the certificate of a call's peer. Reading a certificate costs as much as a small call. */
export function identityOfPeer(call: PeerCall): CertificateIdentity | undefined {
  const peer = call.getAuthContext().sslPeerCertificate;
  return peer && certificateIdentity(peer);
}

/** The connection of a call, by which what is known of its peer is kept; without it each call reads the certificate anew. */
export function sessionOf(call: object): object | undefined {
  return streamBelow(call)?.session;
}
