import { addFlow as script } from '@echomq/lua';
import type { QueueKeys } from '../keys.js';
import type { AddOutcome, NewJob } from '../new-job.js';
import { accepted, rows } from '../outcomes.js';
import { type Receipt, replayedAnswer } from '../receipts.js';
import { limitFacts, rejectionOf } from '../rejections.js';
import type { Store } from '../store.js';
import { BatchRejected } from './addJobs.js';

/** A job of a tree. */
export interface FlowNode
  extends Omit<NewJob, 'customId' | 'timestamp' | 'deduplication' | 'parent' | 'receipt'> {
  readonly queue: QueueKeys;
  /** The id that it gets; an existing job of that id takes the node's place. */
  readonly id: string;
  /** Place of its parent in the list, which comes before it; absent for the root. */
  readonly parentIndex?: number;
  /** JSON text about the parent with the policy for this child; the root's names a parent that exists. */
  readonly parent?: { readonly key?: string; readonly json: string };
  readonly hasChildren: boolean;
}

/** What became of a node. */
export type FlowOutcome = Omit<AddOutcome, 'state'> & {
  readonly state?: NonNullable<AddOutcome['state']> | 'waiting-children';
};

/**
 * Adds a tree in one script: all of it or nothing. Outcomes stand in the order of the nodes, parents before children.
 * With a receipt a repeated call adds nothing and answers as the first did.
 *
 * @throws BatchRejected PARENT_JOB_NOT_FOUND, PARENT_JOB_CANNOT_BE_REPLACED (an existing child belongs to another living
 * parent), JOB_NOT_IN_STATE (an existing inner node no longer waits for children), QUEUE_FULL, PAYLOAD_TOO_LARGE;
 * TransitionRejected REQUEST_ID_REUSED.
 */
export async function addFlow(
  store: Store,
  nodes: readonly FlowNode[],
  { receipt, now = '' }: { readonly receipt?: Receipt; readonly now?: number | '' } = {},
): Promise<FlowOutcome[]> {
  const root = nodes[0];
  if (!root) return [];
  const items = nodes.map(({ queue, parent, ...node }) => ({
    ...node,
    prefix: queue.base,
    ...(parent ? { parent: parent.json, ...(parent.key ? { parentKey: parent.key } : {}) } : {}),
  }));
  const args = { now, nodes: items, more: { receipt } };
  const ran = await store.run(script, { routing: root.queue.meta }, args);
  const answer = accepted(script, ran, { queue: root.queue });
  const before = replayedAnswer(answer);
  const reply = rows(script, before ?? answer);
  const reason = rejectionOf(reply[0]);
  if (reason) {
    const index = Number(reply[1]);
    throw new BatchRejected(reason, (nodes[index] ?? root).queue, index, limitFacts(reply));
  }
  return reply.map((row) => {
    const [jobId, outcome, state] = rows(script, row).map(String);
    return {
      jobId: jobId as string,
      outcome: outcome === 'existing' ? 'existing' : 'created',
      ...(state ? { state: state as NonNullable<FlowOutcome['state']> } : {}),
      ...(before === undefined ? {} : { replayed: true as const }),
    };
  });
}
