import { EchoMQError } from '@echomq/core';
import { errors, type JWTVerifyGetKey, jwtVerify } from 'jose';
import type { KeySet } from './key-set.js';
import { credentialsExpired, credentialsInvalid } from './refusals.js';

/** What a JSON Web Token must be to count. */
export interface JwtRules {
  readonly issuer: string;
  /** One of them must be in the token. */
  readonly audience: readonly string[];
  /** Signature algorithms that are taken; never `none`, never a symmetric one. */
  readonly algorithms: readonly string[];
  /** Slack for clocks, ms. */
  readonly toleranceMs: number;
}

/** Where the keys come from. */
export interface KeySource {
  /** The keys; `undefined` when there are none to be had now. */
  current(): Promise<KeySet | undefined>;
  /** Tries to get newer ones. Whether it did. */
  ask(): Promise<boolean>;
}

/** What a token that counts says. */
export interface VerifiedToken {
  readonly subject: string;
  /** When it ends, slack included, ms since the epoch. */
  readonly expiresAtMs: number;
  readonly claims: Readonly<Record<string, unknown>>;
}

/** Whether a text has the form of a signed token: three parts of base64url. */
export function looksLikeJwt(token: string): boolean {
  return /^[\w-]+\.[\w-]+\.[\w-]*$/.test(token);
}

/**
 * Verifies a token: signature, issuer, audience, `exp`, `nbf`, and that it has a subject.
 *
 * @throws EchoMQError CREDENTIALS_EXPIRED for one that was good, CREDENTIALS_INVALID for any other, BACKEND_UNAVAILABLE
 * while there are no keys
 */
export async function verifyJwt(
  token: string,
  rules: JwtRules,
  source: KeySource,
): Promise<VerifiedToken> {
  try {
    const { payload } = await jwtVerify(token, keyFrom(source), {
      issuer: rules.issuer,
      audience: [...rules.audience],
      algorithms: [...rules.algorithms],
      clockTolerance: rules.toleranceMs / 1_000,
      requiredClaims: ['exp', 'sub'],
    });
    const { sub, exp } = payload;
    if (typeof sub !== 'string' || sub === '' || typeof exp !== 'number') {
      throw credentialsInvalid();
    }
    return { subject: sub, expiresAtMs: exp * 1_000 + rules.toleranceMs, claims: payload };
  } catch (error) {
    if (error instanceof EchoMQError) throw error;
    if (error instanceof errors.JWTExpired) throw credentialsExpired();
    throw credentialsInvalid();
  }
}

function keyFrom(source: KeySource): JWTVerifyGetKey {
  return async (header, token) => {
    const keys = await source.current();
    if (!keys) throw noKeys();
    try {
      return await keys(header, token);
    } catch (error) {
      // The issuer may have a new key.
      if (!(error instanceof errors.JWKSNoMatchingKey) || !(await source.ask())) throw error;
      const newer = await source.current();
      if (!newer) throw noKeys();
      return await newer(header, token);
    }
  };
}

function noKeys(): EchoMQError {
  return new EchoMQError('the keys of the token issuer cannot be had now', {
    code: 'UNAVAILABLE',
    reason: 'BACKEND_UNAVAILABLE',
    retryable: true,
    retryAfterMs: 1_000,
  });
}
