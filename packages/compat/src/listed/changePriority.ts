import type { ListedLines } from './listed-lines.js';

/** Where the results of changePriority differ. */
export const changePriority: ListedLines = {
  'of a waiting job, to the front': {
    'marker-where-work-waits': ['+ marker: 0 @ 0'],
  },
  'of a prioritized job, to the front': {
    'marker-where-work-waits': ['+ marker: 0 @ 0'],
  },
  'while paused': {
    'paused-jobs-stay-in-wait': ['+ pc = 1', '+ prioritized: 1 @ 17179869185', '- wait = [1]'],
  },
  'of a job that a peer of release 5 parked': {
    'parked-jobs-are-seen': ['+ pc = 1', '+ prioritized: 1 @ 17179869185', '- paused = [1]'],
  },
};
