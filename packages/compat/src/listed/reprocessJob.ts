import type { ListedLines } from './listed-lines.js';

/** Where the results of reprocessJob differ. */
export const reprocessJob: ListedLines = {
  'with a priority': {
    'reprocess-keeps-priority': [
      '+ pc = 4',
      '+ prioritized: 1 @ 17179869188',
      '- pc = 3',
      '- wait = [1]',
    ],
  },
  'while paused': {
    'paused-jobs-stay-in-wait': ['+ wait = [1]', '- paused = [1]'],
  },
};
