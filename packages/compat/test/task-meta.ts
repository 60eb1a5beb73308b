import type { Result } from '../src/report/tally.js';

declare module 'vitest' {
  interface TaskMeta {
    /** What the oracle's comparison in this test came to. */
    oracle?: Result;
  }
}
