import { createLocalJWKSet, type JSONWebKeySet, type LocalJWKSet } from 'jose';

/** Public keys by which signatures are checked. */
export type KeySet = LocalJWKSet;

/**
 * Reads a JSON Web Key Set. Symmetric keys in it are left out: nobody may sign with what everybody can read.
 *
 * @throws Error when it is none, or holds no public key; the text is not repeated
 */
export function readKeySet(text: string): KeySet {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw new Error('is no JSON');
  }
  const keys = (parsed as { keys?: unknown } | null)?.keys;
  const usable = Array.isArray(keys) ? keys.filter(isPublic) : [];
  if (usable.length === 0) throw new Error('is no JSON Web Key Set with a public key');
  return createLocalJWKSet({ keys: usable } as JSONWebKeySet);
}

function isPublic(key: unknown): boolean {
  if (typeof key !== 'object' || key === null) return false;
  const { kty, d } = key as { kty?: unknown; d?: unknown };
  return typeof kty === 'string' && kty !== 'oct' && d === undefined;
}
