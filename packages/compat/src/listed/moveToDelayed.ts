import type { ListedLines } from './listed-lines.js';

/** Where the results of moveToDelayed differ. */
export const moveToDelayed: ListedLines = {
  'with others waiting under a global concurrency': {
    'freed-slot-wakes': ['+ marker: 0 @ 0'],
  },
  'of a job that is not active': {
    'nothing-on-rejection': ['+ 1:lock = token-1', '+ 1:lock lives 30 s'],
  },
};
