import type { ListedLines } from './listed-lines.js';

/** Where the results of removeJob differ. */
export const removeJob: ListedLines = {
  'of an active job without a lock': {
    'removal-leaves-no-mark': ['- stalled = [1]'],
  },
  'of an active job without a lock, others waiting under a global concurrency': {
    'freed-slot-wakes': ['+ marker: 0 @ 0'],
  },
  'of an unknown id': {
    'unknown-job-is-refused': ['+ reply = "refused -1"', '- reply = 1'],
  },
  'of a grandparent': {
    'removal-order': [
      '- events: waiting jobId=1 prev=waiting-children',
      '+ events: waiting jobId=1 prev=waiting-children',
    ],
  },
};
