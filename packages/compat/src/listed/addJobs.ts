import type { ListedLines } from './listed-lines.js';

/** Where the results of addJobs differ. */
export const addJobs: ListedLines = {
  'while paused': {
    'paused-jobs-stay-in-wait': ['- paused = [1]', '+ wait = [1]'],
  },
  'of which one has no parent': {
    'batch-all-or-nothing': [
      '- 1.data = {"to":"a/b","n":0.1}',
      '- 1.delay = 0',
      '- 1.name = send',
      '- 1.opts = {"attempts":0}',
      '- 1.priority = 0',
      '- 1.timestamp = 1700000000000',
      '- 2.data = {"to":"a/b","n":0.1}',
      '- 2.delay = 0',
      '- 2.name = send',
      '- 2.opts = {"attempts":0}',
      '- 2.priority = 0',
      '- 2.timestamp = 1700000000000',
      '- id = 2',
      '- marker: 0 @ 0',
      '+ reply = "refused -5"',
      '- reply = ["1",-5,"2"]',
      '- wait = [2, 1]',
      '- events: added jobId=1 name=send',
      '- events: waiting jobId=1',
      '- events: added jobId=2 name=send',
      '- events: waiting jobId=2',
    ],
  },
};
