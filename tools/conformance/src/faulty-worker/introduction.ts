/** The worker as it introduces itself, but for its session and process. */
export const WHO = {
  workerId: 'faulty',
  name: 'faulty',
  sdk: { language: 'typescript', version: '0' },
  host: '',
  labels: {},
};

/** A subscription on the gateway's own terms, but for its queue and window. */
export const SUBSCRIPTION = {
  maxInFlightBytes: undefined,
  lockDuration: undefined,
  weight: 0,
  rateLimit: undefined,
};
