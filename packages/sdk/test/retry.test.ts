import { describe, expect, it } from 'vitest';
import { type EchoMQError, errorOf } from '../src/errors.js';
import { fullJitter } from '../src/transport/backoff.js';
import { type RetryPolicy, retrying } from '../src/transport/retry.js';
import type { CallOptions } from '../src/transport/transport.js';

const policy = { timeoutMs: 5_000, mayRepeat: true, mayRepeatUnknown: () => false };

/** Runs a call that fails with these errors, one after the other, and then succeeds. */
async function tries(
  errors: readonly EchoMQError[],
  more: Partial<RetryPolicy & CallOptions> = {},
) {
  let count = 0;
  const call = async () => {
    const error = errors[count];
    count += 1;
    if (error) throw error;
    return 'done';
  };
  const all = { ...policy, ...more };
  const result = await retrying(call, all, () => all).catch((error: unknown) => error);
  return { count, result };
}

const unavailable = errorOf('away', {
  code: 'UNAVAILABLE',
  reason: 'BACKEND_UNAVAILABLE',
  retryable: true,
  retryAfterMs: 5,
});
const overloaded = errorOf('busy', {
  code: 'RESOURCE_EXHAUSTED',
  reason: 'TOO_MANY_WAITERS',
  retryable: true,
  retryAfterMs: 5,
});
const tooLarge = errorOf('big', { code: 'INVALID_ARGUMENT', reason: 'PAYLOAD_TOO_LARGE' });
const broken = errorOf('dropped', { code: 'UNAVAILABLE', reason: '', retryable: true });
const unknown = errorOf('?', { code: 'UNKNOWN', reason: 'OUTCOME_UNKNOWN', retryable: true });

describe('retrying', () => {
  it('repeats what surely was not done, and overload', async () => {
    expect(await tries([unavailable, overloaded])).toEqual({ count: 3, result: 'done' });
  });

  it('gives up after four tries with the last error', async () => {
    const errors = [overloaded, overloaded, overloaded, unavailable];
    expect(await tries(errors)).toEqual({ count: 4, result: unavailable });
  });

  it('fails at once on what is hopeless', async () => {
    expect(await tries([tooLarge])).toEqual({ count: 1, result: tooLarge });
  });

  it('repeats what may have been done only with a request id', async () => {
    expect(await tries([broken])).toEqual({ count: 1, result: broken });
    expect(await tries([unknown])).toEqual({ count: 1, result: unknown });
    const safe = { mayRepeatUnknown: () => true };
    expect(await tries([broken, unknown], safe)).toEqual({ count: 3, result: 'done' });
  });

  it('leaves a call alone that somebody else repeats', async () => {
    expect(await tries([unavailable], { mayRepeat: false })).toMatchObject({ count: 1 });
  });

  it('does not wait beyond the time of the call', async () => {
    const later = errorOf('away', {
      code: 'UNAVAILABLE',
      reason: 'BACKEND_UNAVAILABLE',
      retryable: true,
      retryAfterMs: 60_000,
    });
    const began = performance.now();
    expect(await tries([later], { timeoutMs: 500 })).toEqual({ count: 1, result: later });
    expect(performance.now() - began).toBeLessThan(400);
  });

  it('gives the first attempt the time of the call to the millisecond, and the next what is left', async () => {
    const given: number[] = [];
    const call = async ({ timeoutMs }: CallOptions) => {
      given.push(timeoutMs);
      if (given.length < 2) throw unavailable;
      return 'done';
    };
    const asked: string[] = [];
    const policyOf = () => {
      asked.push('policy');
      return policy;
    };
    expect(await retrying(call, { timeoutMs: 5_000 }, policyOf)).toBe('done');
    expect(given[0]).toBe(5_000);
    expect(given[1]).toBeLessThan(5_000);
    expect(asked).toEqual(['policy']);
  });

  it('ends with the signal', async () => {
    const controller = new AbortController();
    const slow = errorOf('away', {
      code: 'UNAVAILABLE',
      reason: 'BACKEND_UNAVAILABLE',
      retryable: true,
      retryAfterMs: 4_000,
    });
    const run = tries([slow], { signal: controller.signal });
    controller.abort();
    expect(await run).toMatchObject({ count: 1, result: { code: 'CANCELLED' } });
  });
});

describe('fullJitter', () => {
  it('stays between nothing and a bound that doubles up to the largest', () => {
    const most = (n: number) =>
      Math.max(...Array.from({ length: 500 }, () => fullJitter(n, 100, 10_000)));
    expect(most(1)).toBeLessThanOrEqual(100);
    expect(most(3)).toBeLessThanOrEqual(400);
    expect(most(3)).toBeGreaterThan(200);
    expect(most(40)).toBeLessThanOrEqual(10_000);
    expect(most(40)).toBeGreaterThan(5_000);
  });
});
