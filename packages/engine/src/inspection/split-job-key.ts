import type { QueueKeys } from '@echomq/core';

/** Takes a job's key apart: below our own prefix the queue ends at the first colon, under another one at the last. */
export function splitJobKey(
  key: string,
  { prefix }: Pick<QueueKeys, 'prefix'>,
): { readonly base: string; readonly id: string } {
  const head = `${prefix}:`;
  const colon = key.startsWith(head) ? key.indexOf(':', head.length) : key.lastIndexOf(':');
  return { base: key.slice(0, colon + 1), id: key.slice(colon + 1) };
}
