/** A request whose caller went away may come again within this, ms; then it gets the jobs that it has taken. */
export const REDELIVER_GRACE_MS = 2_000;
