import type { DeliveredJob, FlowNode, JobOptions } from '@echomq/proto/messages';
import { ParentFailurePolicy } from '@echomq/proto/messages';
import { type Ending, finish, type Part, type RawClient, RawError, take } from '../../src/index.js';

/** The policies that let a failed child's parent go, by their names. */
export const POLICIES = {
  failParent: ParentFailurePolicy.FAIL_PARENT,
  continueParent: ParentFailurePolicy.CONTINUE_PARENT,
  ignore: ParentFailurePolicy.IGNORE,
  remove: ParentFailurePolicy.REMOVE,
} as const;

/** What removes a job as it ends. */
export const GONE = { rule: { $case: 'remove', value: true } } as const;

/** A node of a tree; its id is its name. */
export function node(
  queue: string,
  name: string,
  options: Part<JobOptions> = {},
  children: readonly Part<FlowNode>[] = [],
): Part<FlowNode> {
  return { queue, name, data: Buffer.from('{}'), options: { jobId: name, ...options }, children };
}

/**
 * Takes and ends what is ready, until nothing is. A parent that may not end because children are pending waits for
 * them, as a worker of the SDK does.
 *
 * @returns the ids in the order in which they ran
 */
export async function workOff(
  raw: RawClient,
  queue: string,
  end: (job: DeliveredJob & { readonly id: string }) => Ending,
): Promise<string[]> {
  const ran: string[] = [];
  for (;;) {
    const [job] = await take(raw, queue);
    if (job === undefined) return ran;
    const id = job.lease?.jobId ?? '';
    ran.push(id);
    await finish(raw, job, end({ ...job, id })).catch((error: unknown) => {
      const waits = error instanceof RawError && error.reason === 'JOB_HAS_PENDING_CHILDREN';
      if (!waits) throw error;
      return finish(raw, job, { $case: 'awaitChildren', value: {} });
    });
  }
}
