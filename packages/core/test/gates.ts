/** The states of a queue's gate, by what its `meta` says while one job, `other`, is active. */
export const GATES = [
  { gate: 'open', meta: {}, open: true },
  { gate: 'closed by pause', meta: { paused: 1 }, open: false },
  { gate: 'closed by the global concurrency', meta: { concurrency: 1 }, open: false },
  { gate: 'open below the global concurrency', meta: { concurrency: 2 }, open: true },
] as const;

/** The base marker as `read` gives it, or nothing. */
export function baseMarker(open: boolean): { marker?: [string, number][] } {
  return open ? { marker: [['0', 0]] } : {};
}
