import { InvalidRequest } from '@echomq/core';
import {
  ChildFilter,
  type ChildValue,
  type GetChildrenValuesResponse,
} from '@echomq/proto/messages';
import { cutText } from '../../messages/cut-text.js';
import type { EngineDeps } from '../../ports.js';
import { pageSize } from '../../validation/page-size.js';
import { pagePosition, pageToken } from '../../validation/page-token.js';
import { type ChildRef, childRef } from './child-key.js';
import type { NamedJob } from './named-job.js';

/** What reading children takes. */
export type ChildrenDeps = Pick<EngineDeps, 'store' | 'names' | 'limits'>;
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

/** Which children of a job are read, and which page of them. */
export interface ChildrenPage {
  readonly filter: ChildFilter;
  readonly pageSize: number;
  readonly pageToken: string;
}

/**
 * What the children of a job brought, in the order of their keys. A page ends at its size or at the bytes that a message
 * may have. A child that ends between two pages may be missed or come twice over the filters.
 *
 * @param check run after the request was checked and before anything is read of the children; throws to refuse.
 * @throws InvalidRequest naming the field.
 */
export async function childrenPage(
  deps: ChildrenDeps,
  job: NamedJob,
  page: ChildrenPage,
  check: () => Promise<void>,
): Promise<GetChildrenValuesResponse> {
  const source = sourceOf(deps, job, page.filter);
  const size = pageSize(page.pageSize, deps.limits);
  const list = [source.key];
  const [after = ''] = pagePosition(page.pageToken, list) ?? [];
  if (typeof after !== 'string') throw new InvalidRequest('page_token', 'is no token of this list');
  await check();
  const [command, ...rest] = source.list;
  const reply = await deps.store.command(command, [source.key, ...rest]);
  const keys = (Array.isArray(reply) ? reply.map(String) : []).filter((key) => key > after).sort();
  const children = await readPage(deps, source, keys.slice(0, size));
  const last = keys[children.length - 1];
  const more = last !== undefined && children.length < keys.length;
  return { children, nextPageToken: more ? pageToken(list, [last]) : '' };
}

function sourceOf({ store }: ChildrenDeps, { queue, id }: NamedJob, filter: ChildFilter): Source {
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
      const key = keys.processed(id);
      const outcomeOf = async (_: ChildRef, child: string): Promise<Outcome> => ({
        $case: 'value',
        value: (await stored(key, child)) ?? Buffer.from('null'),
      });
      return { key, list: ['HKEYS'], outcomeOf };
    }
    case ChildFilter.FAILED: {
      // Why is only in the child itself, if it is still there.
      const outcomeOf = async (child: ChildRef) =>
        reason(child.queue ? await stored(child.queue.keys.job(child.id), 'failedReason') : null);
      return { key: keys.failedChildren(id), list: ['ZRANGE', 0, -1], outcomeOf };
    }
    case ChildFilter.IGNORED: {
      const key = keys.ignoredFailures(id);
      const outcomeOf = async (_: ChildRef, child: string) => reason(await stored(key, child));
      return { key, list: ['HKEYS'], outcomeOf };
    }
    case ChildFilter.PENDING:
      return {
        key: keys.dependencies(id),
        list: ['SMEMBERS'],
        outcomeOf: async () => undefined,
      };
    default:
      throw new InvalidRequest('filter', 'is no known filter');
  }
}

async function readPage(
  deps: ChildrenDeps,
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
