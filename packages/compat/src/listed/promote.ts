import type { ListedLines } from './listed-lines.js';

/** Where the results of promote differ. */
export const promote: ListedLines = {
  'while paused': {
    'paused-jobs-stay-in-wait': ['+ wait = [1]', '- paused = [1]'],
  },
  'while paused, with jobs that a peer of release 5 parked': {
    'parked-jobs-get-company': ['+ paused = [1, x]', '- paused = [x]', '- wait = [1]'],
  },
};
