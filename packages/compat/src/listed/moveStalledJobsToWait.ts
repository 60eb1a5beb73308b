import type { ListedLines } from './listed-lines.js';

/** Where the results of moveStalledJobsToWait differ. */
export const moveStalledJobsToWait: ListedLines = {
  'of a job without an owner': {
    'stalled-run-named': ['+ 1.echomq.stalled = 1699999999000'],
  },
  'of a job with a priority': {
    'stalled-run-named': ['+ 1.echomq.stalled = 1699999999000'],
  },
  'with others waiting': {
    'stalled-run-named': ['+ 1.echomq.stalled = 1699999999000'],
  },
  'of a run over the limit whose scheduler lives': {
    'stalled-run-named': ['+ 1.echomq.stalled = 1699999999000'],
  },
  'while paused': {
    'stalled-run-named': ['+ 1.echomq.stalled = 1699999999000'],
    'paused-jobs-stay-in-wait': ['- paused = [1]', '+ wait = [1]'],
  },
  'while paused, with jobs that a peer of release 5 parked': {
    'stalled-run-named': ['+ 1.echomq.stalled = 1699999999000'],
    'parked-jobs-get-company': ['+ paused = [x, 1]', '- paused = [x]', '- wait = [1]'],
  },
  'of a job over the limit': {
    'stalled-run-named': ['+ 1.echomq.stalled = 1699999999000'],
    'stall-limit-in-sweep': [
      '+ 1.atm = 1',
      '- 1.defa = job stalled more than allowable limit',
      '+ 1.failedReason = job stalled more than allowable limit',
      '+ 1.finishedOn = 1700000000000',
      '+ failed: 1 @ 1700000000000',
      '- marker: 0 @ 0',
      '+ events: failed jobId=1 failedReason=job stalled more than allowable limit prev=active',
      '+ events: retries-exhausted jobId=1 attemptsMade=1',
      '- wait = [1]',
      '- events: waiting jobId=1 prev=active',
    ],
  },
  'of a child over the limit, with fpof': {
    'stalled-run-named': ['+ 1.echomq.stalled = 1699999999000'],
    'stall-limit-in-sweep': [
      '+ 1.atm = 1',
      '- 1.defa = job stalled more than allowable limit',
      '+ 1.failedReason = job stalled more than allowable limit',
      '+ 1.finishedOn = 1700000000000',
      '+ failed: 1 @ 1700000000000',
      '- marker: 0 @ 0',
      '+ other marker: 0 @ 0',
      '+ other p.defa = child Q:1 failed',
      '+ other p:unsuccessful: Q:1 @ 1700000000000',
      '+ other wait = [p]',
      '- other p:dependencies = [Q:1]',
      '- other waiting-children: p @ 5',
      '+ events: failed jobId=1 failedReason=job stalled more than allowable limit prev=active',
      '+ events: retries-exhausted jobId=1 attemptsMade=1',
      '- wait = [1]',
      '- events: waiting jobId=1 prev=active',
      '+ other events: waiting jobId=p prev=waiting-children',
    ],
  },
  'of an id without a job': {
    'ghost-dropped': [
      '- 1.stc = 1',
      '- marker: 0 @ 0',
      '+ meta:counters:1.withoutHash = 1',
      '- wait = [1]',
      '- events: waiting jobId=1 prev=active',
      '- events: stalled jobId=1',
    ],
  },
};
