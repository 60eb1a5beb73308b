import { InvalidRequest } from '@echomq/core';
import { SortOrder } from '@echomq/proto/messages';
import { cutText } from '../../messages/cut-text.js';
import type { QueueApi } from '../../service.js';
import { pageSize } from '../../validation/page-size.js';
import { pagePosition, pageToken } from '../../validation/page-token.js';
import { readMethod } from '../unary-method.js';
import { jobNotFound } from './job-errors.js';
import { namedJob, type QueueDeps } from './named-job.js';

/** Lines read at one time: each may have 64 KiB, from a foreign writer more. */
const CHUNK = 50;

/** QueueService.GetJobLogs. A page ends at its size or at the bytes that a message may have. */
export function getJobLogs(deps: QueueDeps): QueueApi['getJobLogs'] {
  return readMethod(deps, async (request) => {
    const { queue, id } = namedJob(deps, request);
    const newestFirst = request.order === SortOrder.DESCENDING;
    const list = [queue.keys.base, id, newestFirst];
    const [first = 0] = pagePosition(request.pageToken, list) ?? [];
    if (typeof first !== 'number')
      throw new InvalidRequest('page_token', 'is no token of this log');
    const size = pageSize(request.pageSize, deps.limits);
    const key = queue.keys.logs(id);
    const [exists, total] = (
      await Promise.all([
        deps.store.command('EXISTS', [queue.keys.job(id)]),
        deps.store.command('LLEN', [key]),
      ])
    ).map(Number) as [number, number];
    if (exists === 0) throw jobNotFound(queue, id);
    const lines = await readLines(deps, key, { first, count: size, newestFirst });
    const next = first + lines.length;
    return { lines, total, nextPageToken: next < total ? pageToken(list, [next]) : '' };
  });
}

interface LineRange {
  readonly first: number;
  readonly count: number;
  readonly newestFirst: boolean;
}

async function readLines(deps: QueueDeps, key: string, range: LineRange): Promise<string[]> {
  const budget = deps.limits.maxResponseBytes;
  const lines: string[] = [];
  let bytes = 0;
  while (lines.length < range.count) {
    const count = Math.min(CHUNK, range.count - lines.length);
    const rows = await readChunk(deps, key, { ...range, first: range.first + lines.length, count });
    for (const row of rows) {
      bytes += row.length + 8;
      if (bytes > budget && lines.length > 0) return lines;
      lines.push(cutText(row.toString(), budget));
    }
    if (rows.length < count) break;
  }
  return lines;
}

async function readChunk(deps: QueueDeps, key: string, range: LineRange): Promise<Buffer[]> {
  const last = range.first + range.count - 1;
  const [from, to] = range.newestFirst ? [-last - 1, -range.first - 1] : [range.first, last];
  const reply = await deps.store.command('LRANGE', [key, from, to]);
  const rows = (Array.isArray(reply) ? reply : []) as Buffer[];
  return range.newestFirst ? rows.reverse() : rows;
}
