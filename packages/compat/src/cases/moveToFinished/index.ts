import type { TransitionCases } from '../../oracle/oracle-case.js';
import { deduplication } from './deduplication.js';
import { ends } from './ends.js';
import { metrics } from './metrics.js';
import { parents } from './parents.js';
import { rejections } from './rejections.js';
import { retention } from './retention.js';
import { retries } from './retries.js';

/** Ends of runs. */
export const moveToFinished: TransitionCases = {
  transition: 'moveToFinished',
  cases: [
    ...ends,
    ...retries,
    ...rejections,
    ...retention,
    ...metrics,
    ...deduplication,
    ...parents,
  ],
};
