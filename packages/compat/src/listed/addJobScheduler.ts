import type { ListedLines } from './listed-lines.js';

/** Where the results of addJobScheduler differ. */
export const addJobScheduler: ListedLines = {
  'while paused': {
    'paused-jobs-stay-in-wait': [
      '- paused = [repeat:s:1700000000000]',
      '+ wait = [repeat:s:1700000000000]',
    ],
  },
  'again, the run delayed': {
    'scheduler-keeps-phase': ['+ repeat:s.offset = 5000', '- repeat:s.offset = 0'],
  },
  'again, the run waiting': {
    'scheduler-keeps-phase': ['+ repeat:s.offset = 9995', '- repeat:s.offset = 0'],
  },
  'again, the run prioritized': {
    'scheduler-keeps-phase': ['+ repeat:s.offset = 9995', '- repeat:s.offset = 0'],
  },
  'again by a pattern, the run waiting while paused': {
    'scheduler-one-run': [
      '- repeat:s:1699999999995.data = {"to":"a/b","n":0.1}',
      '- repeat:s:1699999999995.delay = 0',
      '- repeat:s:1699999999995.name = send',
      '- repeat:s:1699999999995.opts = {"attempts":0}',
      '- repeat:s:1699999999995.priority = 0',
      '- repeat:s:1699999999995.rjk = s',
      '- repeat:s:1699999999995.timestamp = 1699999940000',
      '- wait = [repeat:s:1699999999995]',
    ],
  },
  'again, the run waiting while paused': {
    'scheduler-one-run': [
      '- delayed: repeat:s:1700000009995 @ 6963200040939520',
      '- marker: 1 @ 1700000009995',
      '+ repeat: s @ 1699999999995',
      '- repeat: s @ 1700000009995',
      '+ repeat:s:1699999999995.data = {"x":"a/b"}',
      '- repeat:s:1699999999995.data = {"to":"a/b","n":0.1}',
      '+ repeat:s:1699999999995.opts = {"delay":0,"jobId":"repeat:s:1699999999995","repeat":{"count":1,"every":10000},"repeatJobKey":"s","timestamp":1700000000000}',
      '- repeat:s:1699999999995.opts = {"attempts":0}',
      '+ repeat:s:1699999999995.timestamp = 1700000000000',
      '+ reply = "repeat:s:1699999999995"',
      '- repeat:s:1699999999995.timestamp = 1699999940000',
      '- repeat:s:1700000009995.data = {"x":"a/b"}',
      '- repeat:s:1700000009995.delay = 9995',
      '- repeat:s:1700000009995.name = send',
      '- repeat:s:1700000009995.opts = {"delay":9995,"jobId":"repeat:s:1700000009995","repeat":{"count":1,"every":10000},"repeatJobKey":"s","timestamp":1700000000000}',
      '- repeat:s:1700000009995.priority = 0',
      '- repeat:s:1700000009995.rjk = s',
      '- repeat:s:1700000009995.timestamp = 1700000000000',
      '- reply = "repeat:s:1700000009995"',
      '+ events: added jobId=repeat:s:1699999999995 name=send',
      '+ events: waiting jobId=repeat:s:1699999999995',
      '- events: added jobId=repeat:s:1700000009995 name=send',
      '- events: delayed jobId=repeat:s:1700000009995 delay=1700000009995',
    ],
  },
};
