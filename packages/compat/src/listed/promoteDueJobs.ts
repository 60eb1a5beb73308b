import type { ListedLines } from './listed-lines.js';

/** Where the results of promoteDueJobs differ. */
export const promoteDueJobs: ListedLines = {
  'of lifo jobs, while paused': {
    'promotion-keeps-lifo': ['+ wait = [1, 2, 3]', '- wait = [3, 2, 1]'],
  },
  'while paused, as a fetch does': {
    'paused-jobs-stay-in-wait': ['- paused = [3, 1]', '+ wait = [3, 1]'],
  },
};
