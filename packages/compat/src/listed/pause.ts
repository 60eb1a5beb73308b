import type { ListedLines } from './listed-lines.js';

/** Where the results of pause differ. */
export const pause: ListedLines = {
  'with jobs': {
    'paused-jobs-stay-in-wait': ['+ wait = [2, 1]', '- paused = [2, 1]'],
  },
  twice: {
    'paused-jobs-stay-in-wait': ['+ wait = [1]', '- paused = [1]'],
  },
};
