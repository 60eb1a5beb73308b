import type { ListedLines } from './listed-lines.js';

/** Where the results of obliterate differ. */
export const obliterate: ListedLines = {
  'of a queue with a parent that waits': {
    'obliterate-whole': [
      '- 1.data = {"to":"a/b","n":0.1}',
      '- 1.delay = 0',
      '- 1.name = send',
      '- 1.opts = {"attempts":0}',
      '- 1.priority = 0',
      '- 1.timestamp = 1699999940000',
      '- 1:dependencies = [x]',
      '- waiting-children: 1 @ 5',
    ],
  },
  'of a queue with a limiter and lone deduplication ids': {
    'obliterate-whole': ['- de:d = 1', '- dn:d.name = x', '- limiter = 5', '- limiter lives 20 s'],
  },
};
