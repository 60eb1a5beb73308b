import type { EngineDeps } from '../../ports.js';
import type { NamedQueue } from '../../queue-names.js';
import { type ChildRef, childRef } from './child-key.js';

/** A child and what its parent knows of it. */
export interface FlowChild extends ChildRef {
  readonly outcome: 'pending' | 'completed' | 'failed';
}

/** Up to `most` children of a job: first those that have not ended, then by what became of them. */
export async function flowChildren(
  deps: Pick<EngineDeps, 'store' | 'names'>,
  queue: NamedQueue,
  jobId: string,
  most: number,
): Promise<FlowChild[]> {
  const { keys } = queue;
  const sources = [
    [keys.dependencies(jobId), 'SRANDMEMBER', 'pending'],
    [keys.processed(jobId), 'HRANDFIELD', 'completed'],
    [keys.failedChildren(jobId), 'ZRANDMEMBER', 'failed'],
    [keys.ignoredFailures(jobId), 'HRANDFIELD', 'failed'],
  ] as const;
  const children: FlowChild[] = [];
  for (const [key, command, outcome] of sources) {
    const left = most - children.length;
    if (left <= 0) break;
    // A part of a large one, without its values: no two of it are the same, and all come when they are few.
    const reply = await deps.store.command(command, [key, left]);
    const found = Array.isArray(reply) ? reply.map(String).sort() : [];
    children.push(...found.map((child) => ({ ...childRef(deps, child), outcome })));
  }
  return children;
}
