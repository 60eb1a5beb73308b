import { randomUUID } from 'node:crypto';
import { type FlowNode as CoreNode, InvalidRequest } from '@echomq/core';
import type { AddFlowRequest, FlowNode } from '@echomq/proto/messages';
import type { EngineDeps } from '../../ports.js';
import type { NamedQueue } from '../../queue-names.js';
import { customJobId } from '../../validation/job-id.js';
import { tooLarge } from '../../validation/json-payload.js';
import { checkedJob, sizeOf } from './checked-job.js';
import { crossSlot, hashTag, linkTo, type ParentLink, parentLink } from './parent-link.js';

/** A node of a flow that has passed all checks. */
export interface PlacedNode {
  readonly queue: NamedQueue;
  /** What it is called in messages: `root.children[2]`. */
  readonly path: string;
  readonly node: CoreNode;
}

const MAX_NODES = 2_000;
/** Levels below the root. */
const MAX_DEPTH = 32;

type Deps = Pick<EngineDeps, 'names' | 'store' | 'limits'>;

/** A node that is still to be checked. */
interface Waiting {
  readonly given: FlowNode;
  readonly path: string;
  readonly depth: number;
  readonly parentIndex?: number;
}

/**
 * Checks a tree and lays it out in a row, generation by generation, as BullMQ adds flows: so the leaves wait in that
 * order. Nothing of the request is changed.
 *
 * @throws InvalidRequest naming the field; EchoMQError CROSS_SLOT for queues that one script cannot reach.
 */
export function flowNodes(deps: Deps, request: AddFlowRequest): PlacedNode[] {
  if (!request.root) throw new InvalidRequest('root', 'is missing');
  const placed: PlacedNode[] = [];
  const taken = new Set<string>();
  // A row that grows as it is walked: no tree is too deep for it.
  const waiting: Waiting[] = [{ given: request.root, path: 'root', depth: 0 }];
  let bytes = 0;
  for (const next of waiting) {
    if (placed.length >= MAX_NODES) {
      throw new InvalidRequest('root', `must have at most ${MAX_NODES} nodes`);
    }
    const node = placedNode(deps, next, { placed, parent: request.parent });
    refuseTaken(node, taken);
    bytes += sizeOf(node.node);
    const index = placed.push(node) - 1;
    waiting.push(...childrenOf(next, index));
  }
  const limit = deps.limits.maxMessageBytes;
  if (bytes > limit) throw tooLarge('root', limit, bytes);
  return placed;
}

function placedNode(
  deps: Deps,
  { given, path, parentIndex }: Waiting,
  above: { readonly placed: readonly PlacedNode[]; readonly parent: AddFlowRequest['parent'] },
): PlacedNode {
  const queue = deps.names.resolve(given.queue, `${path}.queue`);
  const { options } = given;
  const policy = options?.parentFailurePolicy;
  let link: ParentLink | undefined;
  if (parentIndex === undefined) {
    link = above.parent && parentLink(deps, { queue, policy }, above.parent, 'parent');
  } else {
    const parent = above.placed[parentIndex] as PlacedNode;
    if (deps.store.redis.cluster && hashTag(parent.queue) !== hashTag(queue)) {
      throw crossSlot('the jobs of a flow', `${path}.queue`);
    }
    link = linkTo(parent.queue, parent.node.id, policy);
  }
  if (options?.deduplication) {
    throw new InvalidRequest(`${path}.options.deduplication`, 'cannot go with a flow');
  }
  const id = options?.jobId ? customJobId(options.jobId, `${path}.options.job_id`) : randomUUID();
  const node = {
    ...checkedJob(deps, given, `${path}.`, link?.options),
    queue: queue.keys,
    id,
    hasChildren: given.children.length > 0,
    ...(parentIndex === undefined ? {} : { parentIndex }),
    ...(link ? { parent: parentIndex === undefined ? link.job : { json: link.job.json } } : {}),
  };
  return { queue, path, node };
}

/** The children in their order. */
function childrenOf({ given, path, depth }: Waiting, parentIndex: number): Waiting[] {
  if (given.children.length === 0) return [];
  if (depth >= MAX_DEPTH) {
    throw new InvalidRequest(
      `${path}.children`,
      `must be at most ${MAX_DEPTH} levels below the root`,
    );
  }
  if (given.children.length >= MAX_NODES) {
    throw new InvalidRequest('root', `must have at most ${MAX_NODES} nodes`);
  }
  return given.children.map((child, i) => {
    return { given: child, path: `${path}.children[${i}]`, depth: depth + 1, parentIndex };
  });
}

/** One job cannot stand in two places of a tree, nor wait for itself. */
function refuseTaken({ queue, path, node }: PlacedNode, taken: Set<string>): void {
  if (node.parent?.key) taken.add(node.parent.key);
  const key = queue.keys.job(node.id);
  if (taken.has(key)) {
    throw new InvalidRequest(
      `${path}.options.job_id`,
      'stands twice in the flow',
      'CUSTOM_JOB_ID_INVALID',
    );
  }
  taken.add(key);
}
