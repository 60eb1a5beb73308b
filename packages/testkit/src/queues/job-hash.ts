/** A job as a test describes it: values that are no text are stored as JSON. */
export interface JobSeed {
  readonly name?: string;
  readonly data?: unknown;
  readonly opts?: unknown;
  readonly timestamp?: number;
  readonly delay?: number;
  readonly priority?: number;
  /** Any other field of the hash, by its stored name, for example `ats` or `parentKey`. */
  readonly [field: string]: unknown;
}

/**
 * The hash of a described job, as it is stored: what {@link JobSeed} leaves out of the six fields
 * that every job has is filled in (`name` job, `data` and `opts` `{}`, the numbers 0). Text is taken
 * as it is, so `data: '{broken'` makes a corrupt job; a field that is `undefined` is left out.
 */
export function jobHash(job: JobSeed): Record<string, string> {
  const whole = { name: 'job', data: {}, opts: {}, timestamp: 0, delay: 0, priority: 0, ...job };
  const hash: Record<string, string> = {};
  for (const [field, value] of Object.entries(whole)) {
    if (value === undefined) continue;
    hash[field] = typeof value === 'string' ? value : JSON.stringify(value);
  }
  return hash;
}
