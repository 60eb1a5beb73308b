import type { ListedLines } from './listed-lines.js';

/** Where the results of promote differ. */
export const promote: ListedLines = {
  'of a lifo job': {
    'promotion-keeps-lifo': ['+ wait = [2, 1]', '- wait = [1, 2]'],
  },
  'while paused': {
    'paused-jobs-stay-in-wait': ['+ wait = [1]', '- paused = [1]'],
  },
  'while paused, with jobs that a peer of release 5 parked': {
    'parked-jobs-get-company': ['+ paused = [1, x]', '- paused = [x]', '- wait = [1]'],
  },
};
