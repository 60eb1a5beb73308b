import { depthOf, isNew, newJob } from './adds.js';
import { attach, dropExpired, mayAttach, releaseIfReady, standing } from './family.js';
import { placeJob } from './places.js';
import { addTo, type ModelOptions, type ModelQueue, type Policy } from './state.js';

/** A node of a tree: the first is the root; `above` is its parent's place. */
export interface ModelNode {
  readonly id: string;
  readonly above: number | undefined;
  readonly policy: Policy;
  readonly options: ModelOptions;
}

interface Seen {
  readonly exists: boolean;
  readonly waits: boolean;
}

/** Adds a tree, all of it or nothing. @returns a rejection with the node's place, or `id outcome location` of each */
export function addTree(queue: ModelQueue, nodes: readonly ModelNode[], now: number): string {
  const seen: Seen[] = [];
  for (const [at, node] of nodes.entries()) {
    const stands = standing(queue, node.id, now);
    const above = node.above === undefined ? undefined : nodes[node.above];
    const over = node.above === undefined ? undefined : seen[node.above];
    if (over?.exists && !stands && !over.waits) return `JOB_NOT_IN_STATE ${at}`;
    seen.push({ exists: stands !== undefined, waits: queue.waitingChildren.has(node.id) });
    if (stands && above && !mayAttach(queue, stands, above.id)) {
      return `PARENT_JOB_CANNOT_BE_REPLACED ${at}`;
    }
  }
  const { maxJobs = Number.POSITIVE_INFINITY } = queue.limits;
  let depth = depthOf(queue);
  for (const [at, { id }] of nodes.entries()) {
    if (!isNew(queue, { id }, now)) continue;
    if (depth >= maxJobs) return `QUEUE_FULL ${at}`;
    depth += 1;
  }
  const answers = nodes.map((node, at) => {
    const over = node.above === undefined ? undefined : seen[node.above];
    return addNode(queue, nodes, at, { own: seen[at] as Seen, over, now });
  });
  for (const [at, node] of [...nodes.entries()].reverse()) {
    if (nodes.some(({ above }) => above === at)) releaseIfReady(queue, node.id, now);
  }
  return answers.join('; ');
}

function addNode(
  queue: ModelQueue,
  nodes: readonly ModelNode[],
  at: number,
  { own, over, now }: { readonly own: Seen; readonly over: Seen | undefined; readonly now: number },
): string {
  const { id, above, policy, options } = nodes[at] as ModelNode;
  const parent = above === undefined ? undefined : { id: nodes[above]?.id ?? '', policy };
  queue.counter += 1;
  const stands = queue.jobs.get(id);
  if (own.exists && stands) {
    if (parent && !(over?.exists && !over.waits)) attach(queue, stands, parent, now);
    queue.emit('duplicated', id);
    return `${id} existing `;
  }
  dropExpired(queue, id, now);
  const job = newJob({ id, options, parent }, now);
  queue.jobs.set(id, job);
  queue.emit('added', id);
  if (parent) addTo(queue.pending, parent.id, id);
  if (!nodes.some((one) => one.above === at)) {
    return `${id} created ${placeJob(queue, job, options.lifo === true)}`;
  }
  queue.waitingChildren.set(id, now);
  queue.emit('waiting-children', id);
  return `${id} created waiting-children`;
}
