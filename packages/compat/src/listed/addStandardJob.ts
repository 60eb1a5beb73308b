import type { ListedLines } from './listed-lines.js';

/** Where the results of addStandardJob differ. */
export const addStandardJob: ListedLines = {
  'while paused': {
    'paused-jobs-stay-in-wait': ['- paused = [1]', '+ wait = [1]'],
  },
  'while paused, with jobs that a peer of release 5 parked': {
    'parked-jobs-get-company': ['+ paused = [1, x]', '- paused = [x]', '- wait = [1]'],
  },
  'as a child that belongs to another living parent': {
    'nothing-on-rejection': ['- id = 1'],
  },
  'as a child whose former parent is gone': {
    'orphan-gets-a-parent': [
      '+ c.parent = {"id":"p","queueKey":"R"}',
      '+ c.parentKey = R:p',
      '- c.parent = {"id":"q","queueKey":"R"}',
      '- c.parentKey = R:q',
      '+ other p:dependencies = [Q:c]',
    ],
  },
  'with a number under which a job exists': {
    'counter-skips-existing': [
      '+ 1.timestamp = 1699999940000',
      '+ 2.data = {"to":"a/b","n":0.1}',
      '+ 2.delay = 0',
      '+ 2.name = send',
      '+ 2.opts = {"attempts":0}',
      '+ 2.priority = 0',
      '+ 2.timestamp = 1700000000000',
      '+ id = 2',
      '- 1.timestamp = 1700000000000',
      '- id = 1',
      '+ reply = "2"',
      '+ wait = [2, 1]',
      '+ events: added jobId=2 name=send',
      '+ events: waiting jobId=2',
      '- reply = "1"',
      '- wait = [1, 1]',
      '- events: added jobId=1 name=send',
      '- events: waiting jobId=1',
    ],
  },
  'with options that another encoder would change': {
    'opts-plain-json': [
      '+ 1.opts = {"attempts":0,"large":9007199254740992,"list":[],"nothing":null}',
      '- 1.opts = {"attempts":0,"large":9007199254741000,"list":{}}',
    ],
  },
  'deduplicated, simple, with an owner that waits': {
    'no-debounced-event': ['- events: debounced jobId=1 debounceId=d'],
  },
  'deduplicated, simple, with an owner that is delayed': {
    'no-debounced-event': ['- events: debounced jobId=1 debounceId=d'],
  },
  'deduplicated, simple, with an owner that runs': {
    'no-debounced-event': ['- events: debounced jobId=1 debounceId=d'],
  },
  'deduplicated, simple, with an owner that has ended': {
    'no-debounced-event': ['- events: debounced jobId=1 debounceId=d'],
  },
  'deduplicated, throttled, with an owner that waits': {
    'no-debounced-event': ['- events: debounced jobId=1 debounceId=d'],
  },
  'deduplicated, throttled, with an owner that is delayed': {
    'no-debounced-event': ['- events: debounced jobId=1 debounceId=d'],
  },
  'deduplicated, throttled, with an owner that runs': {
    'no-debounced-event': ['- events: debounced jobId=1 debounceId=d'],
  },
  'deduplicated, throttled, with an owner that has ended': {
    'no-debounced-event': ['- events: debounced jobId=1 debounceId=d'],
  },
  'deduplicated, extended, with an owner that waits': {
    'no-debounced-event': ['- events: debounced jobId=1 debounceId=d'],
  },
  'deduplicated, extended, with an owner that is delayed': {
    'no-debounced-event': ['- events: debounced jobId=1 debounceId=d'],
  },
  'deduplicated, extended, with an owner that runs': {
    'no-debounced-event': ['- events: debounced jobId=1 debounceId=d'],
  },
  'deduplicated, extended, with an owner that has ended': {
    'no-debounced-event': ['- events: debounced jobId=1 debounceId=d'],
  },
  'deduplicated, replacing, with an owner that is delayed': {
    'no-debounced-event': ['- events: debounced jobId=2 debounceId=d'],
  },
  'deduplicated, replacing within a ttl, with an owner that is delayed': {
    'no-debounced-event': ['- events: debounced jobId=2 debounceId=d'],
  },
  'deduplicated, debounced, with an owner that is delayed': {
    'no-debounced-event': ['- events: debounced jobId=2 debounceId=d'],
  },
  'deduplicated, kept last, with an owner that waits': {
    'no-debounced-event': ['- events: debounced jobId=1 debounceId=d'],
  },
  'deduplicated, kept last, with an owner that is delayed': {
    'no-debounced-event': ['- events: debounced jobId=1 debounceId=d'],
  },
  'deduplicated, kept last, with an owner that runs': {
    'no-debounced-event': ['- events: debounced jobId=1 debounceId=d'],
  },
  'deduplicated, kept last, with an owner that has ended': {
    'no-debounced-event': ['- events: debounced jobId=1 debounceId=d'],
  },
  'deduplicated, kept last and replacing, with an owner that is delayed': {
    'no-debounced-event': ['- events: debounced jobId=2 debounceId=d'],
  },
  'deduplicated, kept last and replacing, with an owner that runs': {
    'no-debounced-event': ['- events: debounced jobId=1 debounceId=d'],
  },
  'deduplicated, kept last, when another was kept before': {
    'no-debounced-event': ['- events: debounced jobId=1 debounceId=d'],
  },
  'deduplicated, rescheduling, with an owner that is delayed': {
    'reschedule-mode': [
      '+ 1.delay = 10000',
      '- 1.delay = 9',
      '+ delayed: 1 @ 6963200040960000',
      '- delayed: 1 @ 6963200368640000',
      '+ marker: 1 @ 1700000010000',
      '+ events: delayed jobId=1 delay=1700000010000',
    ],
    'no-debounced-event': ['- events: debounced jobId=1 debounceId=d'],
  },
  'deduplicated, simple, with an owner that is gone': {
    'stale-owner-passed-over': [
      '+ 2.data = {"to":"a/b","n":0.1}',
      '+ 2.deid = d',
      '+ 2.delay = 0',
      '+ 2.name = send',
      '+ 2.opts = {"attempts":0,"de":{"id":"d"}}',
      '+ 2.priority = 0',
      '+ 2.timestamp = 1700000000000',
      '+ de:d = 2',
      '- de:d = 1',
      '+ marker: 0 @ 0',
      '+ reply = "2"',
      '+ wait = [2]',
      '+ events: added jobId=2 name=send',
      '+ events: waiting jobId=2',
      '- reply = "1"',
      '- events: deduplicated jobId=1 deduplicationId=d deduplicatedJobId=2',
    ],
    'no-debounced-event': ['- events: debounced jobId=1 debounceId=d'],
  },
  'deduplicated, throttled, with an owner that is gone': {
    'no-debounced-event': ['- events: debounced jobId=1 debounceId=d'],
  },
  'deduplicated, with a priority and an owner that waits': {
    'no-debounced-event': ['- events: debounced jobId=1 debounceId=d'],
  },
};
