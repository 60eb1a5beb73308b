import {
  durationToMs,
  GetMetricsRequest,
  type GetMetricsResponse,
  GetQueueRequest,
  MetricsKind,
} from '@echomq/proto/messages';
import type { Asked } from '../change/change.js';
import type { Fields } from './fields.js';
import { countsOf } from './queues.js';

/** Minutes of the graph. */
const MINUTES = 60;

/** The head of a queue's page: its settings, counts, what finished in the last hour, and whether it may be changed. */
export async function showQueue(fields: Fields, asked: Asked) {
  const name = fields.text('queue');
  const { queue: api } = asked.caller.services;
  const metricsOf = (kind: MetricsKind) =>
    api.getMetrics(
      GetMetricsRequest.fromPartial({ queue: name, kind, end: MINUTES - 1 }),
      asked.context,
    );
  const [info, counts, completed, failed] = await Promise.all([
    api.getQueue(GetQueueRequest.fromPartial({ queue: name }), asked.context),
    countsOf(name, asked),
    metricsOf(MetricsKind.COMPLETED),
    metricsOf(MetricsKind.FAILED),
  ]);
  const { queue } = info;
  const limit = queue?.rateLimit;
  return {
    queue: name,
    paused: queue?.paused ?? false,
    maxed: queue?.maxed ?? false,
    concurrency: queue?.concurrency,
    rateLimit: limit && { max: limit.max, durationMs: durationToMs(limit.duration) },
    version: queue?.version ?? '',
    mayChange: asked.caller.mayChange(name),
    counts,
    throughput: throughput(completed, failed),
  };
}

/** Two series over the same minutes, oldest first, up to the newest that either has; absent: none are kept. */
function throughput(completed: GetMetricsResponse, failed: GetMetricsResponse) {
  const newest = Math.max(completed.openAt?.getTime() ?? 0, failed.openAt?.getTime() ?? 0);
  if (newest === 0) return undefined;
  return {
    newestAt: newest,
    completed: aligned(completed, newest),
    failed: aligned(failed, newest),
  };
}

/** The open minute is shown as the others are. */
function aligned({ points, open, openAt }: GetMetricsResponse, newest: number): number[] {
  const behind = openAt ? Math.round((newest - openAt.getTime()) / 60_000) : MINUTES;
  const all = [open, ...points];
  const values = Array.from({ length: MINUTES }, (_, back) => all[back - behind] ?? 0);
  return values.reverse();
}
