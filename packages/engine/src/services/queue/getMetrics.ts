import { InvalidRequest } from '@echomq/core';
import { MetricsKind } from '@echomq/proto/messages';
import type { QueueApi } from '../../service.js';
import { uint } from '../../validation/uint.js';
import { readMethod } from '../unary-method.js';
import type { QueueDeps } from './named-job.js';

const MINUTE_MS = 60_000;
/** Points of one answer: four weeks and more. */
const MOST = 50_000;

/**
 * QueueService.GetMetrics. The newest point belongs to the minute before the one in which a job finished last; that one is
 * open until a job finishes in a later one.
 */
export function getMetrics(deps: QueueDeps): QueueApi['getMetrics'] {
  return readMethod(deps, async (request) => {
    const { keys } = deps.names.resolve(request.queue);
    const metrics = keys.metrics(ended(request.kind));
    const first = uint(request.start, 'start', { fallback: 0 });
    const last = Math.min(uint(request.end, 'end', { fallback: MOST }), first + MOST - 1);
    const [counts, points, kept] = await Promise.all([
      deps.store.command('HMGET', [metrics, 'count', 'prevTS', 'prevCount']),
      deps.store.command('LRANGE', [`${metrics}:data`, first, last]),
      deps.store.command('LLEN', [`${metrics}:data`]),
    ]);
    const [total, seenAt, closed] = (Array.isArray(counts) ? counts : []).map((value) =>
      Number(value ?? 0),
    );
    const open = Math.floor((seenAt ?? 0) / MINUTE_MS) * MINUTE_MS;
    const newest = open - MINUTE_MS;
    return {
      points: (Array.isArray(points) ? points : []).map(pointOf),
      total: total || 0,
      newestAt: Number(kept) > 0 && newest > 0 ? new Date(newest) : undefined,
      kept: Number(kept),
      open: pointOf((total ?? 0) - (closed ?? 0)),
      openAt: open > 0 ? new Date(open) : undefined,
    };
  });
}

function ended(kind: MetricsKind): 'completed' | 'failed' {
  switch (kind) {
    case undefined:
    case MetricsKind.UNSPECIFIED:
    case MetricsKind.COMPLETED:
      return 'completed';
    case MetricsKind.FAILED:
      return 'failed';
    default:
      throw new InvalidRequest('kind', 'is no known kind');
  }
}

/** A foreign writer's text that is no count is 0. */
function pointOf(value: unknown): number {
  const count = Math.trunc(Number(String(value)));
  return count > 0 && count <= 0xffff_ffff ? count : 0;
}
