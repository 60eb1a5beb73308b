import type { ListedLines } from './listed-lines.js';

/** Where the results of moveToWaitingChildren differ. */
export const moveToWaitingChildren: ListedLines = {
  'with others waiting under a global concurrency': {
    'freed-slot-wakes': ['+ marker: 0 @ 0'],
  },
  'of a job that is not active': {
    'nothing-on-rejection': ['+ 1:lock = token-1', '+ 1:lock lives 30 s'],
  },
};
