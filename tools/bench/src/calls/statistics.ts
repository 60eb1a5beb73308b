/** What `INFO commandstats` tells of some calls. */
export interface CallStatistics {
  /** Calls by command, those that scripts make included. */
  readonly calls: Readonly<Record<string, number>>;
  /** µs of the scripts, with the commands that they call. */
  readonly scriptUs: number;
}

/** Asking is no part of what is asked about. */
const OWN = new Set(['info']);

/** Reads the text of `INFO commandstats`. */
export function parseStatistics(text: string): CallStatistics {
  const calls: Record<string, number> = {};
  let scriptUs = 0;
  for (const [, name = '', count, usec] of text.matchAll(
    /^cmdstat_([^:]+):calls=(\d+),usec=(\d+)/gm,
  )) {
    if (OWN.has(name)) continue;
    calls[name] = Number(count);
    if (name === 'evalsha') scriptUs = Number(usec);
  }
  return { calls, scriptUs };
}

/** What came in between two readings. */
export function since(before: CallStatistics, after: CallStatistics): CallStatistics {
  const calls: Record<string, number> = {};
  for (const [name, count] of Object.entries(after.calls)) {
    const more = count - (before.calls[name] ?? 0);
    if (more > 0) calls[name] = more;
  }
  return { calls, scriptUs: after.scriptUs - before.scriptUs };
}

/** All calls, the one of the script included. */
export function callCount({ calls }: CallStatistics): number {
  return Object.values(calls).reduce((sum, count) => sum + count, 0);
}
