import type { ListedLines } from './listed-lines.js';

/** Where the results of promote differ. */
export const promote: ListedLines = {
  'while paused': {
    'paused-jobs-stay-in-wait': ['+ wait = [1]', '- paused = [1]'],
  },
};
