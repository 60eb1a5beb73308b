import type { ListedLines } from './listed-lines.js';

/** Where the results of moveJobsToWait differ. */
export const moveJobsToWait: ListedLines = {
  'of a failed child': {
    'bulk-retry-ties-children': ['+ other p:dependencies = [Q:1]', '- other p:failed.Q:1 = a'],
  },
  'of failed jobs with priorities': {
    'bulk-keeps-priority': ['+ pc = 1', '+ prioritized: 1 @ 12884901889', '- wait = [1]'],
  },
  'of delayed jobs': {
    'bulk-keeps-priority': ['+ 1.delay = 0', '- 1.delay = 4', '+ 2.delay = 0', '- 2.delay = 9'],
  },
  'of delayed jobs with priorities': {
    'bulk-keeps-priority': [
      '+ 1.delay = 0',
      '- 1.delay = 4',
      '+ pc = 1',
      '+ prioritized: 1 @ 8589934593',
      '- wait = [1]',
    ],
  },
  'while paused': {
    'paused-jobs-stay-in-wait': ['+ wait = [1]', '- paused = [1]'],
  },
};
