import { afterAll, beforeAll } from 'vitest';

/** Something that runs while the tests of a file (or of a `describe`) do. */
export interface Started<T> {
  /** @throws Error when asked before the first hook or test. */
  readonly value: T;
}

/** Starts something before the first test and disposes of it after the last. */
export function useStarted<T extends AsyncDisposable>(start: () => Promise<T>): Started<T> {
  let value: T | undefined;
  beforeAll(async () => {
    value = await start();
  });
  afterAll(async () => {
    await value?.[Symbol.asyncDispose]();
    value = undefined;
  });
  return {
    get value() {
      if (value === undefined) throw new Error('not started: ask inside a test or a hook');
      return value;
    },
  };
}
