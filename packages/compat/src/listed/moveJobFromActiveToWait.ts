import type { ListedLines } from './listed-lines.js';

/** Where the results of moveJobFromActiveToWait differ. */
export const moveJobFromActiveToWait: ListedLines = {
  'with a priority': {
    'marker-where-work-waits': ['+ marker: 0 @ 0'],
  },
  'while paused': {
    'paused-jobs-stay-in-wait': ['- paused = [1]', '+ wait = [1]'],
  },
  'of a job that is not active': {
    'nothing-on-rejection': [
      '+ 1:lock = token-1',
      '+ 1:lock lives 30 s',
      '+ reply = "refused -3"',
      '- reply = 0',
    ],
  },
};
