/** One of each kind of trouble: what a short run plays. */
export const SOME_CASES: readonly string[] = [
  'window-full',
  'ack-retryable',
  'signal-lock-lost',
  'recall',
  'unanswered-report',
  'reconnect',
  'oversize-read',
  'sigterm',
];
