/** A clock that moves only when the test says so. */
export interface FakeClock {
  /** Milliseconds. */
  now(): number;
  /** Runs `then` once, when the clock has moved so far. */
  setTimeout(then: () => void, delayMs: number): number;
  clearTimeout(handle: number): void;
  /** Moves the clock and runs what becomes due, in order, each at its own time. */
  advance(byMs: number): void;
  /** When the timers are due that have not run, in order. */
  readonly due: readonly number[];
}

interface Timer {
  readonly handle: number;
  readonly atMs: number;
  readonly then: () => void;
}

/** A fake clock, for code that takes its clock as an argument. */
export function fakeClock(startMs = 0): FakeClock {
  let nowMs = startMs;
  let handles = 0;
  let timers: Timer[] = [];
  const next = (untilMs: number): Timer | undefined => {
    const [first] = timers;
    if (first === undefined || first.atMs > untilMs) return undefined;
    timers = timers.slice(1);
    return first;
  };
  return {
    now: () => nowMs,
    setTimeout(then, delayMs) {
      handles += 1;
      const timer = { handle: handles, atMs: nowMs + Math.max(0, delayMs), then };
      // A stable sort: of two that are due together the first one set runs first.
      timers = [...timers, timer].sort((a, b) => a.atMs - b.atMs);
      return handles;
    },
    clearTimeout(handle) {
      timers = timers.filter((timer) => timer.handle !== handle);
    },
    advance(byMs) {
      const untilMs = nowMs + byMs;
      for (let timer = next(untilMs); timer; timer = next(untilMs)) {
        nowMs = timer.atMs;
        timer.then();
      }
      nowMs = untilMs;
    },
    get due() {
      return timers.map((timer) => timer.atMs);
    },
  };
}
