import type { ListedLines } from './listed-lines.js';

/** Where the results of addLogs differ. */
export const addLogs: ListedLines = {
  'by a stranger': {
    'owner-writes': ['- 1:logs = [row "3"]', '+ reply = "refused -6"', '- reply = 1'],
  },
};
