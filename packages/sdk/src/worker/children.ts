import type * as pb from '@echomq/proto/messages';
import type { Connection } from '../connection.js';
import { EchoMQError } from '../errors.js';
import { decodeJson } from '../payload/decode.js';

const PAGE_SIZE = 1_000;

/**
 * The children of a job that is held, all pages of them.
 *
 * @param bounds `first`: one will do
 * @throws LeaseLost, JobNotFound, Unavailable
 */
export async function readChildren(
  connection: Connection,
  asked: Pick<pb.GetChildrenValuesRequest, 'lease' | 'filter'>,
  { first = false }: { readonly first?: boolean } = {},
): Promise<pb.ChildValue[]> {
  const children: pb.ChildValue[] = [];
  const pageSize = first ? 1 : PAGE_SIZE;
  let pageToken = '';
  do {
    const request = { ...asked, pageSize, pageToken };
    const page = await connection.call('worker', 'getChildrenValues', request);
    children.push(...page.children);
    pageToken = page.nextPageToken;
  } while (pageToken !== '' && !first);
  return children;
}

/** The result of a child. @throws EchoMQError where it is too large for a message, or no JSON */
export function resultOf({ queue, jobId, outcome }: pb.ChildValue): unknown {
  if (outcome?.$case === 'value') return decodeJson(outcome.value, 'returnvalue');
  throw new EchoMQError(`the result of ${queue}:${jobId} is too large to be sent`, {
    code: 'FAILED_PRECONDITION',
    reason: 'CHILDREN_NOT_READABLE',
    metadata: { queue, jobId },
  });
}

/** Why a child failed. */
export function reasonOf({ outcome }: pb.ChildValue): string {
  return outcome?.$case === 'reason' ? outcome.value : '';
}
