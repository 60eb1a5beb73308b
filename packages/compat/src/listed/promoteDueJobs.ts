import type { ListedLines } from './listed-lines.js';

/** Where the results of promoteDueJobs differ. */
export const promoteDueJobs: ListedLines = {
  'while paused, as a fetch does': {
    'paused-jobs-stay-in-wait': ['- paused = [3, 1]', '+ wait = [3, 1]'],
  },
};
