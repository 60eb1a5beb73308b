import type { Stage } from '../stage.js';
import type { Grade } from '../verdict.js';

/** One thing that the protocol asks of a worker, and how it is put to the test. */
export interface Case {
  /** Its name, for tables and for `--only`. */
  readonly id: string;
  readonly grade: Grade;
  /** What the protocol asks for, in a sentence. */
  readonly rule: string;
  /** With which concurrency the worker is started; absent: 2. */
  readonly concurrency?: number;
  /**
   * Plays it.
   *
   * @returns what was seen, in words
   * @throws Violation
   */
  readonly play: (stage: Stage) => Promise<string>;
}
