/** What a scheduler's runs are made from. Texts are JSON without their braces: the script adds what only it knows. */
export interface RunTemplate {
  /** The template's options, as `"attempts":3,"backoff":{…}`; may be empty. */
  readonly head: string;
  /** The schedule, as `"every":1000` or `"pattern":"* * * * *","tz":"Europe/Berlin"`. */
  readonly repeatHead: string;
  /** The scheduler's id, escaped for JSON, without quotes. */
  readonly jsonId: string;
  /** JSON text. */
  readonly data: string | Uint8Array;
  readonly priority?: number;
}

/** A run that a scheduler counts on. */
export interface ScheduledRun {
  readonly jobId: string;
  /** Milliseconds until it is due. */
  readonly delayMs: number;
  /** When it is due, ms since the epoch. */
  readonly dueAt: number;
}
