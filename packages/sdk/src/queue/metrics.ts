import * as pb from '@echomq/proto/messages';
import type { Connection } from '../connection.js';
import { invalid } from '../errors.js';

/** How many jobs finished per minute. */
export interface Metrics {
  /** One value per minute, the newest first. */
  readonly data: readonly number[];
  /** Minutes that are kept. */
  readonly count: number;
  readonly meta: {
    /** Finished jobs since the queue began to count. */
    readonly count: number;
  };
  /** The minute of the newest value. */
  readonly newestAt: Date | undefined;
}

/** Which minutes are read; an end of -1 is the oldest that is kept. */
export interface MetricsQuery {
  readonly kind: 'completed' | 'failed';
  readonly start: number;
  readonly end: number;
}

const KINDS: Readonly<Record<MetricsQuery['kind'], pb.MetricsKind>> = {
  completed: pb.MetricsKind.COMPLETED,
  failed: pb.MetricsKind.FAILED,
};

/** See `Queue.getMetrics`. @throws InvalidRequest naming `kind` */
export async function readMetrics(
  connection: Connection,
  queue: string,
  { kind, start, end }: MetricsQuery,
): Promise<Metrics> {
  if (!Object.hasOwn(KINDS, kind)) throw invalid('kind', 'must be "completed" or "failed"');
  const { points, total, newestAt, kept } = await connection.call('queue', 'getMetrics', {
    queue,
    kind: KINDS[kind],
    start,
    end: end < 0 ? undefined : end,
  });
  return { data: points, count: kept, meta: { count: total }, newestAt };
}
