import { addFlow as add, BatchRejected, EchoMQError, getState } from '@echomq/core';
import type { AddedFlowNode } from '@echomq/proto/messages';
import { jobState, stateName } from '../../messages/job-state.js';
import type { EngineDeps } from '../../ports.js';
import { bodyOf } from '../../receipts/request-body.js';
import { receiptsOf } from '../../receipts/request-receipts.js';
import type { ProducerApi } from '../../service.js';
import { namedError } from '../named-error.js';
import { writeMethod } from '../unary-method.js';
import { ofLongData } from './add-refusal.js';
import { stateNow } from './added-job.js';
import { flowNodes, type PlacedNode } from './flow-nodes.js';

type Deps = Pick<EngineDeps, 'store' | 'names' | 'limits' | 'clock'>;

/**
 * ProducerService.AddFlow: the whole tree in one script. `request_id`: see AddJob; it counts in the root's queue. Without
 * one, a flow whose root has an id of the caller's choice can be repeated as long as its parts exist.
 */
export function addFlow(deps: Deps): ProducerApi['addFlow'] {
  return writeMethod(deps, async (request, context) => {
    const placed = flowNodes(deps, request);
    const nodes = placed.map(({ node }) => node);
    const { requestId } = request;
    const body = () => bodyOf.addFlow(request);
    const receipts = receiptsOf({ rpc: 'AddFlow', requestId, body }, context);
    const root = placed[0]?.queue;
    const noted = receipts && root ? { receipt: receipts.of(root) } : {};
    const outcomes = await add(deps.store, nodes, noted).catch(async (error) => {
      if (error instanceof BatchRejected) throw await ofNode(deps, placed, error);
      throw root ? namedError(error, root) : error;
    });
    const added: AddedFlowNode[] = await Promise.all(
      outcomes.map(async ({ jobId, state }, i) => {
        const { queue } = placed[i] as PlacedNode;
        const known = state ? jobState(state) : await stateNow(deps, queue, jobId);
        return { queue: queue.name, jobId, state: known, children: [] };
      }),
    );
    placed.forEach(({ node }, i) => {
      if (node.parentIndex === undefined) return;
      added[node.parentIndex]?.children.push(added[i] as AddedFlowNode);
    });
    return { root: added[0], replayed: outcomes[0]?.replayed ?? false };
  });
}

/** The script names the node by its index. */
async function ofNode(
  { store }: Deps,
  placed: readonly PlacedNode[],
  rejected: BatchRejected,
): Promise<unknown> {
  const at = placed[rejected.index] as PlacedNode;
  const tooLong = ofLongData(rejected, `${at.path}.data`);
  if (tooLong) return tooLong;
  if (rejected.reason === 'QUEUE_FULL') return namedError(rejected, at.queue);
  const above = at.node.parentIndex === undefined ? undefined : placed[at.node.parentIndex];
  // An inner node that is no longer to be waited for: the fault is the parent's.
  const moved = rejected.reason === 'JOB_NOT_IN_STATE' ? above : undefined;
  const { queue, path, node } = moved ?? at;
  const actual =
    moved && (await getState(store, queue.keys, node.id).catch(() => 'unknown' as const));
  const missing = rejected.reason === 'PARENT_JOB_NOT_FOUND';
  const field = missing ? 'parent' : path;
  return new EchoMQError(`${field}: ${rejected.message}`, {
    code: rejected.code,
    reason: rejected.reason,
    metadata: {
      queue: queue.name,
      ...(missing ? {} : { job_id: node.id }),
      field,
      ...(actual ? { expected: stateName('waiting-children'), actual: stateName(actual) } : {}),
    },
    cause: rejected,
  });
}
