import type { StoredJob } from '@echomq/core';
import type { JobRef } from '@echomq/proto/messages';
import type { NamedQueue } from '../queue-names.js';

/** The parent of a stored job, named as clients name it; `undefined` when it has none. */
export function parentRef(queue: NamedQueue, job: StoredJob): JobRef | undefined {
  if (job.parentKey === undefined && job.parent === undefined) return undefined;
  const link = linkOf(job);
  return link && { queue: clientName(queue, link.queueKey), jobId: link.id };
}

/** What the job's own JSON says; else its parent's key, taken apart at the last colon. */
function linkOf({ parent, parentKey }: StoredJob): { id: string; queueKey: string } | undefined {
  if (parent) {
    try {
      const { id, queueKey } = JSON.parse(parent.toString());
      if (typeof id === 'string' && typeof queueKey === 'string') return { id, queueKey };
    } catch {
      // A text that is no JSON says nothing.
    }
  }
  const colon = parentKey?.lastIndexOf(':') ?? -1;
  if (parentKey === undefined || colon < 0) return undefined;
  return { id: parentKey.slice(colon + 1), queueKey: parentKey.slice(0, colon) };
}

/** Takes off the prefix, and the braces where the engine itself puts them round names. */
function clientName({ name, keys }: NamedQueue, queueKey: string): string {
  const stored = queueKey.startsWith(`${keys.prefix}:`)
    ? queueKey.slice(keys.prefix.length + 1)
    : queueKey.slice(queueKey.lastIndexOf(':') + 1);
  const tagged = keys.name !== name && keys.name === `{${name}}`;
  return tagged && stored.startsWith('{') && stored.endsWith('}') ? stored.slice(1, -1) : stored;
}
