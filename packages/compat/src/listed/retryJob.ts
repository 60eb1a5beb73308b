import type { ListedLines } from './listed-lines.js';

/** Where the results of retryJob differ. */
export const retryJob: ListedLines = {
  'while paused': {
    'paused-jobs-stay-in-wait': ['+ wait = [1]', '- paused = [1]'],
  },
  'by a stranger, when others have become due': {
    'nothing-on-rejection': [
      '+ 2.delay = 5',
      '- 2.delay = 0',
      '+ delayed: 2 @ 6963199999995904',
      '- marker: 0 @ 0',
      '- wait = [2]',
      '- events: waiting jobId=2 prev=delayed',
    ],
  },
  'of a job that is not active': {
    'nothing-on-rejection': [
      '- 1.failedReason = boom',
      '- 1.stacktrace = ["Error: boom\\n    at here"]',
      '+ 1:lock = token-1',
      '+ 1:lock lives 30 s',
    ],
  },
};
