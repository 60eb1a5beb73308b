import { createHash } from 'node:crypto';
import { InvalidRequest } from '@echomq/core';

/** A position may be the key of a job, with an id of any writer's. */
const MAX_TOKEN = 4_096;

/** A format number, the digest of the query, and the position. */
const FORMAT = '1';

/**
 * Where the next page of a list begins, as an opaque token: base64url, tied to the query by a digest, so that a token of
 * another list is refused instead of giving a wrong page.
 *
 * @param query all that chooses the entries of the list.
 * @param position whole numbers from 0, or one text.
 */
export function pageToken(
  query: readonly unknown[],
  position: readonly (number | string)[],
): string {
  const text = JSON.stringify([FORMAT, digest(query), ...position]);
  return Buffer.from(text).toString('base64url');
}

/**
 * The position that a token holds; `undefined` for an empty one, the first page.
 *
 * @param field the request's field, for the message.
 * @throws InvalidRequest for one that {@link pageToken} did not make for this query.
 */
export function pagePosition(
  token: string,
  query: readonly unknown[],
  field = 'page_token',
): readonly (number | string)[] | undefined {
  if (token === '') return undefined;
  const parts = token.length <= MAX_TOKEN ? parsed(token) : undefined;
  if (!parts || parts[0] !== FORMAT || parts[1] !== digest(query)) {
    throw new InvalidRequest(field, 'is no token of this list');
  }
  const position = parts.slice(2);
  if (position.every((part) => typeof part === 'string' || isIndex(part))) {
    return position as (number | string)[];
  }
  throw new InvalidRequest(field, 'is no token of this list');
}

function parsed(token: string): unknown[] | undefined {
  if (!/^[A-Za-z0-9_-]+$/.test(token)) return undefined;
  try {
    const parts: unknown = JSON.parse(Buffer.from(token, 'base64url').toString());
    return Array.isArray(parts) ? parts : undefined;
  } catch {
    return undefined;
  }
}

function isIndex(part: unknown): part is number {
  return Number.isSafeInteger(part) && (part as number) >= 0;
}

function digest(query: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(query)).digest('base64url').slice(0, 16);
}
