import type { ListedLines } from './listed-lines.js';

/** Where the results of cleanJobsInSet differ. */
export const cleanJobsInSet: ListedLines = {
  'of delayed, that ran before': {
    'clean-of-nothing-is-silent': ['- events: cleaned count=0'],
  },
  'of nothing': {
    'clean-of-nothing-is-silent': ['- events: cleaned count=0'],
  },
  'of the last child of a parent in the same queue': {
    'parent-goes-on': [
      '+ marker: 0 @ 0',
      '+ p.data = {"to":"a/b","n":0.1}',
      '+ p.delay = 0',
      '+ p.name = send',
      '+ p.opts = {"attempts":0}',
      '+ p.priority = 0',
      '+ p.timestamp = 1699999940000',
      '+ wait = [p]',
      '+ events: waiting jobId=p prev=waiting-children',
    ],
  },
  'of the last child of a parent in another queue': {
    'parent-goes-on': ['+ other events: waiting jobId=p prev=waiting-children'],
  },
  'of times with fewer digits': {
    'clean-compares-numbers': [
      '- 1.data = {"to":"a/b","n":0.1}',
      '- 1.delay = 0',
      '- 1.name = send',
      '- 1.opts = {"attempts":0}',
      '- 1.priority = 0',
      '- 1.timestamp = 999999999999',
      '+ reply = ["1"]',
      '+ events: cleaned count=1',
      '- reply = []',
      '- wait = [1]',
      '- events: cleaned count=0',
    ],
  },
};
