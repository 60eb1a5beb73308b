import type * as pb from '@echomq/proto/messages';
import { invalid } from '../errors.js';
import { encodeOptions } from '../job/encode-options.js';
import { encodeJson } from '../payload/encode.js';
import { checkNames } from '../payload/known-names.js';
import { textOf } from '../payload/text.js';
import { checkQueueName } from '../queue/queue-name.js';
import type { FlowJob, FlowOptions } from './flow-job.js';

/** Bounds of the contract. */
const MAX_NODES = 2_000;
const MAX_DEPTH = 32;

const NAMES: ReadonlySet<string> = new Set<keyof FlowJob>([
  ...(['name', 'queueName', 'data', 'opts', 'children'] as const),
]);

/** A walk over a tree. */
interface Walk {
  readonly root: string;
  readonly options: FlowOptions;
  nodes: number;
}

/**
 * A tree as the contract writes it.
 *
 * @param root what errors call it, for example `root` or `flows[2]`
 * @throws InvalidRequest naming what cannot be sent, as `root.children[3].opts.delay`
 */
export function encodeFlow(flow: FlowJob, root: string, options: FlowOptions): pb.FlowNode {
  return encodeNode(flow, { field: root, depth: 0 }, { root, options, nodes: 0 });
}

function encodeNode(
  flow: FlowJob,
  { field, depth }: { readonly field: string; readonly depth: number },
  walk: Walk,
): pb.FlowNode {
  checkNames(flow, NAMES, { field, what: 'a part of a job of a flow' });
  walk.nodes += 1;
  // Also what ends the walk over a tree that holds itself.
  if (walk.nodes > MAX_NODES) throw invalid(walk.root, `must have at most ${MAX_NODES} jobs`);
  if (depth > MAX_DEPTH) throw invalid(field, `is more than ${MAX_DEPTH} levels below the root`);
  const { queueName, data, children = [] } = flow;
  checkQueueName(queueName, `${field}.queueName`);
  const opts = { ...walk.options.queuesOptions?.[queueName]?.defaultJobOptions, ...flow.opts };
  if (depth > 0 && opts.parent !== undefined) {
    throw invalid(`${field}.opts.parent`, 'is the job above it');
  }
  if (opts.deduplication !== undefined) {
    throw invalid(`${field}.opts.deduplication`, 'cannot go with a flow');
  }
  if (!Array.isArray(children)) throw invalid(`${field}.children`, 'must be an array');
  return {
    queue: queueName,
    name: textOf(flow.name, `${field}.name`),
    data: data === undefined ? Buffer.alloc(0) : encodeJson(data, `${field}.data`),
    options: encodeOptions(opts, `${field}.opts`),
    children: children.map((child, index) =>
      encodeNode(child, { field: `${field}.children[${index}]`, depth: depth + 1 }, walk),
    ),
  };
}
