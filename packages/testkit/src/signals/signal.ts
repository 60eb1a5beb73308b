import { withLimit } from './with-limit.js';

/** Something that happens once, told from one place of a test and awaited in another. */
export interface Signal<T> {
  /** It has happened. Only the first call counts. */
  resolve(value: T): void;
  /** It has failed. */
  reject(error: Error): void;
  /** True once it has happened or failed. */
  readonly settled: boolean;
  /**
   * Waits for it.
   *
   * @param limitMs 5,000 unless given; after it the wait fails and names the signal
   */
  wait(limitMs?: number): Promise<T>;
}

/**
 * A signal: what a test awaits where it would else sleep.
 *
 * @param what how a failing test names it, for example `the second delivery`
 */
export function signal<T = void>(what = 'the signal'): Signal<T> {
  let settled = false;
  let resolve: (value: T) => void = () => {};
  let reject: (error: Error) => void = () => {};
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  // Nobody may be waiting yet; each wait still sees the failure.
  promise.catch(() => {});
  return {
    resolve: (value) => {
      settled = true;
      resolve(value);
    },
    reject: (error) => {
      settled = true;
      reject(error);
    },
    get settled() {
      return settled;
    },
    wait: (limitMs) => withLimit(promise, what, limitMs),
  };
}
