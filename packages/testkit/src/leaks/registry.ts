/**
 * What the testkit has started and nobody has stopped yet. It hangs on `globalThis`, because a
 * test and a set-up file may each load a copy of this module.
 */
const OPEN = Symbol.for('echomq.testkit.open');

type Open = Set<{ readonly what: string }>;

function open(): Open {
  const holder = globalThis as { [OPEN]?: Open };
  holder[OPEN] ??= new Set();
  return holder[OPEN];
}

/**
 * Notes that something was started.
 *
 * @param what how a failing test names it, for example `server 4711`
 * @returns to be called when it has been stopped
 */
export function track(what: string): () => void {
  const entry = { what };
  open().add(entry);
  return () => open().delete(entry);
}

/** The names of all that is still open, in the order in which it was started. */
export function stillOpen(): string[] {
  return [...open()].map((entry) => entry.what);
}
