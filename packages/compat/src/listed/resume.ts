import type { ListedLines } from './listed-lines.js';

/** Where the results of resume differ. */
export const resume: ListedLines = {
  'with jobs in wait': {
    'paused-jobs-stay-in-wait': ['+ marker: 0 @ 0'],
  },
  'with jobs of both releases': {
    'paused-jobs-stay-in-wait': ['+ wait = [2, 1]', '- wait = [1]'],
  },
  'of a queue that was not paused': {
    'paused-jobs-stay-in-wait': ['+ marker: 0 @ 0'],
  },
};
