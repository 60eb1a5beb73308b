import type { ListedLines } from './listed-lines.js';

/** Where the results of drain differ. */
export const drain: ListedLines = {
  'with the next run of a scheduler in wait': {
    'drain-without-ghosts': ['+ wait = [repeat:s:1700000000000]', '- wait = [1]'],
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
};
