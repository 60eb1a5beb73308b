import type { RedisReply } from '@echomq/core';

/** Fields of a queue's `meta` hash; those of ours begin with `echomq.`, which peers keep as they are. */
export const META = {
  paused: 'paused',
  concurrency: 'concurrency',
  /** Starts per {@link META.duration} over all workers. */
  max: 'max',
  /** Milliseconds. */
  duration: 'duration',
  maxEvents: 'opts.maxLenEvents',
  version: 'version',
  maxPayloadBytes: 'echomq.maxPayload',
  maxJobs: 'echomq.maxJobs',
} as const;

/** Reads a count; a foreign writer's text that is none counts as absent. */
export function metaCount(value: RedisReply | undefined): number | undefined {
  if (value === null || value === undefined) return undefined;
  const count = Number(String(value));
  return Number.isInteger(count) && count >= 0 && count <= 0xffff_ffff ? count : undefined;
}
