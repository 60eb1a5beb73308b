import type { ListedLines } from './listed-lines.js';

/** Where the results of updateJobScheduler differ. */
export const updateJobScheduler: ListedLines = {
  'every ten seconds': {
    'no-next-run-field': ['- repeat:s:1699999999995.nrjid = repeat:s:1700000009995'],
  },
  'every ten seconds, with an offset of the schedule alone': {
    'no-next-run-field': ['- repeat:s:1699999999995.nrjid = repeat:s:1700000009995'],
  },
  'every ten seconds, set again since its first runs': {
    'no-next-run-field': ['- repeat:s:1699999999995.nrjid = repeat:s:1700000009995'],
  },
  'every ten seconds after a pause of minutes': {
    'no-next-run-field': ['- repeat:s:1699999905000.nrjid = repeat:s:1700000010000'],
  },
  'by a pattern': {
    'no-next-run-field': ['- repeat:s:1699998800000.nrjid = repeat:s:1700002800000'],
  },
  'when the next exists': {
    'scheduler-passes-existing-run': [
      '+ repeat: s @ 1700000009995',
      '- repeat: s @ 1699999999995',
      '+ repeat:s.ic = 4',
      '- repeat:s.ic = 3',
    ],
  },
};
