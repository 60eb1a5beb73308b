import type { JobState } from '@echomq/sdk';

/** The states in which jobs can be listed. */
export const STATES = [
  'waiting',
  'prioritized',
  'delayed',
  'active',
  'waiting-children',
  'completed',
  'failed',
] as const satisfies readonly JobState[];
