import { describe, expect, it } from 'vitest';
import { durationMs, instantMs } from '../../src/validation/duration.js';
import { uint } from '../../src/validation/uint.js';
import { refusedNow } from '../use-services.js';

describe('durationMs', () => {
  it.each([
    [{ seconds: 0, nanos: 0 }, 0],
    [{ seconds: 1, nanos: 500_000_000 }, 1_500],
    [{ seconds: 0, nanos: 1 }, 1],
    [{ seconds: 3, nanos: 1_000_001 }, 3_002],
  ])('reads %o as %i ms, rounded up', (duration, ms) => {
    expect(durationMs(duration, 'wait')).toBe(ms);
  });

  it('keeps what is absent apart from zero', () => {
    expect(durationMs(undefined, 'wait')).toBeUndefined();
    expect(durationMs(undefined, 'wait', { fallback: 7 })).toBe(7);
    expect(durationMs({ seconds: 0, nanos: 0 }, 'wait', { fallback: 7 })).toBe(0);
  });

  it.each([
    ['NaN', { seconds: Number.NaN, nanos: 0 }],
    ['infinite', { seconds: Number.POSITIVE_INFINITY, nanos: 0 }],
    ['negative', { seconds: -1, nanos: 0 }],
    ['negative nanos', { seconds: 0, nanos: -1 }],
    ['of mixed sign', { seconds: 1, nanos: -1 }],
    ['over 2^53', { seconds: 2 ** 53, nanos: 0 }],
    ['1e308', { seconds: 1e308, nanos: 0 }],
    ['over a hundred years', { seconds: 3_155_760_001, nanos: 0 }],
    ['with nanos over a second', { seconds: 1, nanos: 1_000_000_000 }],
    ['with a fraction', { seconds: 1.5, nanos: 0 }],
    ['of text', { seconds: '5' as unknown as number, nanos: 0 }],
  ])('refuses one that is %s', (_, duration) => {
    expect(refusedNow(() => durationMs(duration, 'wait'))).toEqual({
      reason: 'INVALID_FIELD',
      field: 'wait',
    });
  });

  it('keeps to bounds of its own', () => {
    const bounds = { min: 1_000, max: 2_000 };
    expect(durationMs({ seconds: 2, nanos: 0 }, 'lock', bounds)).toBe(2_000);
    expect(() => durationMs({ seconds: 0, nanos: 999_000_000 }, 'lock', bounds)).toThrow(
      'lock: must lie between 1000 ms and 2000 ms',
    );
  });
});

describe('instantMs', () => {
  it('reads instants from 1970 to 9999', () => {
    expect(instantMs(new Date(5), 'run_at')).toBe(5);
    for (const bad of [new Date(Number.NaN), new Date(-1), new Date(253_402_300_800_000)]) {
      expect(refusedNow(() => instantMs(bad, 'run_at')).field).toBe('run_at');
    }
  });
});

describe('uint', () => {
  it('reads whole numbers, absent ones as the fallback', () => {
    expect(uint(0, 'n')).toBe(0);
    expect(uint(4_294_967_295, 'n')).toBe(4_294_967_295);
    expect(uint(undefined, 'n', { fallback: 3 })).toBe(3);
    expect(uint(undefined, 'n')).toBeUndefined();
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, -1, 1.5, 2 ** 32, 2 ** 53, 1e308, '5'])(
    'refuses %s',
    (value) => {
      expect(refusedNow(() => uint(value as number, 'n'))).toEqual({
        reason: 'INVALID_FIELD',
        field: 'n',
      });
    },
  );
});
