import { hash } from 'node:crypto';
import type { Metadata } from '@grpc/grpc-js';
import { readGrants } from './access-entry.js';
import { identityOfPeer, type PeerCall, sessionOf } from './certificate.js';
import { type Directory, impliedPrincipal, type Namespaces } from './directory.js';
import { type JwtRules, type KeySource, looksLikeJwt, verifyJwt } from './jwt.js';
import type { Credential, Principal } from './principal.js';
import { credentialsExpired, credentialsInvalid, credentialsMissing } from './refusals.js';
import { VERBS } from './rights.js';

/** What callers are known by. */
export interface AuthenticatorParts {
  /** Nothing is asked of anybody. */
  readonly open: boolean;
  /** The principals of the access file as it stands now; `undefined`: there is no such file. */
  readonly directory: () => Directory | undefined;
  readonly jwt?: { readonly rules: JwtRules; readonly keys: KeySource; readonly claim: string };
  /** Client certificates count. */
  readonly certificates: boolean;
  readonly namespaces: Namespaces;
}

/** A credential that was made before; it holds while the access file is the same. */
interface Kept {
  readonly credential: Credential;
  readonly directory: Directory | undefined;
  readonly untilMs: number;
}

const EVERYTHING = [{ queues: ['*'], verbs: VERBS }];
/** Verified tokens that are kept, and for how long at most, ms: a key that the issuer withdrew is noticed then. */
const KEPT_TOKENS = 10_000;
const KEPT_MS = 60_000;

/** From the metadata and the peer of a call to who calls. */
export class Authenticator {
  readonly #anonymous: Credential;
  readonly #tokens = new Map<string, Kept>();
  readonly #connections = new WeakMap<object, Kept>();

  constructor(private readonly parts: AuthenticatorParts) {
    const principal = impliedPrincipal('anonymous', EVERYTHING, parts);
    this.#anonymous = { principal, now: () => principal };
  }

  /**
   * Who calls. A bearer token goes before a certificate. At once for whom is known already.
   *
   * @throws EchoMQError UNAUTHENTICATED; where there is something to wait for the promise rejects with it
   */
  authenticate(metadata: Metadata, call: PeerCall): Credential | Promise<Credential> {
    if (this.parts.open) return this.#anonymous;
    const header = metadata.get('authorization');
    const directory = this.parts.directory();
    if (header.length > 0 && (directory || this.parts.jwt)) {
      return this.#bearer(bearerToken(header), directory);
    }
    // Where tokens alone say what may be done, a certificate opens the connection and no more.
    const counts = this.parts.certificates && (directory || !this.parts.jwt);
    if (counts) return this.#certificate(call, directory);
    throw credentialsMissing();
  }

  #bearer(token: string, directory: Directory | undefined): Credential | Promise<Credential> {
    const digest = hash('sha256', token, 'buffer');
    const found = directory?.byToken(digest);
    if (found) {
      const now = () => this.parts.directory()?.byToken(digest)?.principal;
      return unexpired({ ...found, now });
    }
    if (!this.parts.jwt || !looksLikeJwt(token)) throw credentialsInvalid();
    const key = digest.toString('base64');
    const kept = this.#tokens.get(key);
    if (kept && kept.directory === directory && kept.untilMs > Date.now()) {
      return unexpired(kept.credential);
    }
    return this.#verify(token, this.parts.jwt).then((credential) => {
      if (this.#tokens.size >= KEPT_TOKENS) this.#tokens.clear();
      this.#tokens.set(key, { credential, directory, untilMs: Date.now() + KEPT_MS });
      return credential;
    });
  }

  async #verify(
    token: string,
    { rules, keys, claim }: NonNullable<AuthenticatorParts['jwt']>,
  ): Promise<Credential> {
    const { subject, expiresAtMs, claims } = await verifyJwt(token, rules, keys);
    const granted = this.#granted(subject, claims[claim]);
    const now = () => this.parts.directory()?.bySubject(subject) ?? granted;
    const principal = now();
    if (!principal) throw credentialsInvalid();
    return { principal, expiresAtMs, now };
  }

  /** The principal that a token itself describes; without a word about rights it has none. */
  #granted(subject: string, claim: unknown): Principal | undefined {
    const { namespace, acl } = (claim ?? {}) as { namespace?: unknown; acl?: unknown };
    let sound = namespace === undefined || typeof namespace === 'string';
    const grants = readGrants(acl, () => {
      sound = false;
    });
    const space = (namespace ?? '') as string;
    if (!sound || !this.parts.namespaces.has(space)) return undefined;
    const { namespaces } = this.parts;
    return impliedPrincipal(`subject:${subject}`, grants, { namespaces, namespace: space });
  }

  #certificate(call: PeerCall, directory: Directory | undefined): Credential {
    const connection = sessionOf(call);
    const kept = connection && this.#connections.get(connection);
    if (kept && kept.directory === directory) return unexpired(kept.credential);
    const shown = identityOfPeer(call);
    if (!shown) throw credentialsMissing();
    const { identity, expiresAtMs } = shown;
    // With neither file nor tokens nobody is told apart: whomever the authority signed may do all.
    const implied = directory
      ? undefined
      : impliedPrincipal(`certificate:${identity}`, EVERYTHING, this.parts);
    const now = () => implied ?? this.parts.directory()?.byCertificate(identity);
    const principal = now();
    if (!principal) throw credentialsInvalid();
    const credential = { principal, expiresAtMs, now };
    if (connection) this.#connections.set(connection, { credential, directory, untilMs: 0 });
    return unexpired(credential);
  }
}

/** The token of an `authorization: Bearer …`. */
function bearerToken(header: readonly (string | Buffer)[]): string {
  const token = /^bearer +(\S+)$/i.exec(String(header[0]))?.[1];
  if (header.length !== 1 || token === undefined) throw credentialsInvalid();
  return token;
}

function unexpired(credential: Credential): Credential {
  const { expiresAtMs } = credential;
  if (expiresAtMs !== undefined && expiresAtMs <= Date.now()) throw credentialsExpired();
  return credential;
}
