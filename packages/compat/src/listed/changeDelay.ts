import type { ListedLines } from './listed-lines.js';

/** Where the results of changeDelay differ. */
export const changeDelay: ListedLines = {
  'to its own time': {
    'delay-keeps-its-place': [
      '+ delayed: 1 @ 6963200040960000',
      '+ marker: 1 @ 1700000010000',
      '- delayed: 1 @ 6963200040960001',
      '- marker: 1 @ 1700000010000.0002',
    ],
  },
};
