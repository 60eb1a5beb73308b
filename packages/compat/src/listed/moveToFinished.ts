import type { ListedLines } from './listed-lines.js';

/** Where the results of moveToFinished differ. */
export const moveToFinished: ListedLines = {
  'completed without a fetch, others waiting under a global concurrency': {
    'freed-slot-wakes': ['+ marker: 0 @ 0'],
  },
  'without meta': {
    'events-limit-not-written': ['- meta.opts.maxLenEvents = 10000'],
  },
  'failed, to be retried later, and the next fetched': {
    'due-marker-beside-fetch': ['+ marker: 1 @ 1700000010000'],
  },
  'with the token 0': {
    'token-of-nobody': [
      '- 1.atm = 1',
      '- 1.finishedOn = 1700000000000',
      '- 1.returnvalue = 1',
      '+ active = [1]',
      '- completed: 1 @ 1700000000000',
      '+ reply = "refused -6"',
      '- reply = null',
      '- events: completed jobId=1 returnvalue=1 prev=active',
      '- events: drained',
    ],
  },
  'of a job that is not active': {
    'nothing-on-rejection': ['+ 1:lock = token-1', '+ 1:lock lives 30 s'],
  },
  'trimmed beyond a thousand': {
    'trimming-bounded': [
      '+ completed: f0 @ 1699939700000',
      '+ completed: f1 @ 1699939760000',
      '+ completed: f2 @ 1699939820000',
      '+ completed: f3 @ 1699939880000',
      '+ completed: f4 @ 1699939940000',
    ],
  },
  'of the last child of a paused parent': {
    'paused-jobs-stay-in-wait': ['+ other wait = [p]', '- other paused = [p]'],
  },
};
