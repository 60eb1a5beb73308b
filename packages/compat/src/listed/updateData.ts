import type { ListedLines } from './listed-lines.js';

/** Where the results of updateData differ. */
export const updateData: ListedLines = {
  'of a job that another worker runs': {
    'owner-writes': [
      '+ 1.data = {"to":"a/b","n":0.1}',
      '- 1.data = {"new":"a/b"}',
      '+ reply = "refused -6"',
    ],
  },
};
