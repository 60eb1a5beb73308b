import { InvalidRequest, TransitionRejected } from '@echomq/core';
import {
  ChildFilter,
  type ChildValue,
  type GetChildrenValuesRequest,
  type GetChildrenValuesResponse,
} from '@echomq/proto/messages';
import { cutText } from '../../messages/cut-text.js';
import { type Lease, leaseOf } from '../../validation/lease.js';
import { pageSize } from '../../validation/page-size.js';
import { pagePosition, pageToken } from '../../validation/page-token.js';
import { type ChildRef, childRef } from '../queue/child-key.js';
import type { WorkerDeps } from './worker-deps.js';

type Deps = Pick<WorkerDeps, 'store' | 'names' | 'limits'>;
type Outcome = ChildValue['outcome'];

/** Where the children of a filter stand, and what is known of each. */
interface Source {
  readonly key: string;
  /** Lists their keys, without values. */
  readonly list: readonly [command: string, ...rest: (string | number)[]];
  readonly outcomeOf: (child: ChildRef, key: string) => Promise<Outcome>;
}

/** Bytes of a child besides its outcome. */
const OVERHEAD = 64;
/** Values read at one time: each may have a megabyte. */
const CHUNK = 8;

/**
 * GetChildrenValues: what the children of a held job brought, in the order of their keys. A page ends at its size or at
 * the bytes that a message may have. A child that ends between two pages may be missed or come twice over the filters.
 */
export async function getChildrenValues(
  request: GetChildrenValuesRequest,
  deps: Deps,
): Promise<GetChildrenValuesResponse> {
  const lease = leaseOf(deps.names, request.lease);
  const source = sourceOf(deps, lease, request.filter);
  const size = pageSize(request.pageSize, deps.limits);
  const list = [source.key];
  const [after = ''] = pagePosition(request.pageToken, list) ?? [];
  if (typeof after !== 'string') throw new InvalidRequest('page_token', 'is no token of this list');
  await checkHeld(deps, lease);
  const [command, ...rest] = source.list;
  const reply = await deps.store.command(command, [source.key, ...rest]);
  const keys = (Array.isArray(reply) ? reply.map(String) : []).filter((key) => key > after).sort();
  const children = await readPage(deps, source, keys.slice(0, size));
  const last = keys[children.length - 1];
  const more = last !== undefined && children.length < keys.length;
  return { children, nextPageToken: more ? pageToken(list, [last]) : '' };
}

function sourceOf({ store }: Deps, { queue, jobId }: Lease, filter: ChildFilter): Source {
  const { keys } = queue;
  const stored = async (key: string, field: string) =>
    (await store.command('HGET', [key, field])) as Buffer | null;
  const reason = (text: Buffer | null): Outcome => ({
    $case: 'reason',
    value: text?.toString() ?? '',
  });
  switch (filter) {
    case undefined:
    case ChildFilter.UNSPECIFIED:
    case ChildFilter.PROCESSED: {
      const key = keys.processed(jobId);
      const outcomeOf = async (_: ChildRef, child: string): Promise<Outcome> => ({
        $case: 'value',
        value: (await stored(key, child)) ?? Buffer.from('null'),
      });
      return { key, list: ['HKEYS'], outcomeOf };
    }
    case ChildFilter.FAILED: {
      // Why is only in the child itself, if it is still there.
      const outcomeOf = async ({ queue, id }: ChildRef) =>
        reason(queue ? await stored(queue.keys.job(id), 'failedReason') : null);
      return { key: keys.failedChildren(jobId), list: ['ZRANGE', 0, -1], outcomeOf };
    }
    case ChildFilter.IGNORED: {
      const key = keys.ignoredFailures(jobId);
      const outcomeOf = async (_: ChildRef, child: string) => reason(await stored(key, child));
      return { key, list: ['HKEYS'], outcomeOf };
    }
    case ChildFilter.PENDING:
      return {
        key: keys.dependencies(jobId),
        list: ['SMEMBERS'],
        outcomeOf: async () => undefined,
      };
    default:
      throw new InvalidRequest('filter', 'is no known filter');
  }
}

/** The lease holds now; what is read afterwards belongs to the job whoever holds it. */
async function checkHeld({ store }: Deps, { queue, jobId, token }: Lease): Promise<void> {
  const [exists, owner] = await Promise.all([
    store.command('EXISTS', [queue.keys.job(jobId)]),
    store.command('GET', [queue.keys.lock(jobId)]),
  ]);
  const refuse = (reason: 'JOB_NOT_FOUND' | 'LOCK_LOST' | 'LOCK_NOT_OWNED') => {
    throw new TransitionRejected('getChildrenValues', reason, { queue: queue.name, jobId });
  };
  if (exists !== 1) refuse('JOB_NOT_FOUND');
  if (owner === null) refuse('LOCK_LOST');
  if (String(owner) !== token) refuse('LOCK_NOT_OWNED');
}

async function readPage(
  deps: Deps,
  source: Source,
  keys: readonly string[],
): Promise<ChildValue[]> {
  const budget = deps.limits.maxResponseBytes;
  const children: ChildValue[] = [];
  let bytes = 0;
  for (let i = 0; i < keys.length; i += CHUNK) {
    const part = keys.slice(i, i + CHUNK).map((key) => ({ key, child: childRef(deps, key) }));
    const outcomes = await Promise.all(part.map(({ key, child }) => source.outcomeOf(child, key)));
    for (const [at, outcome] of outcomes.entries()) {
      const { child, key } = part[at] as (typeof part)[number];
      bytes += OVERHEAD + key.length + (outcome?.value.length ?? 0);
      if (bytes > budget && children.length > 0) return children;
      const fits = bytes <= budget ? outcome : cut(outcome, budget);
      children.push({ queue: child.queueName, jobId: child.id, outcome: fits });
    }
  }
  return children;
}

/** A foreign writer's outcome that no message can carry: a reason is cut, a result is left out. */
function cut(outcome: Outcome, budget: number): Outcome {
  if (outcome?.$case !== 'reason') return undefined;
  return { $case: 'reason', value: cutText(outcome.value, budget - 1_024) };
}
