import { describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../../src/limits.js';
import { pageSize } from '../../src/validation/page-size.js';
import { pagePosition, pageToken } from '../../src/validation/page-token.js';
import { refusedNow } from '../use-services.js';

const list = ['bull:orders:', ['waiting'], 0];

describe('pageToken', () => {
  it('carries a position through base64url', () => {
    const token = pageToken(list, [3, 250]);
    expect(token).toMatch(/^[A-Za-z0-9_-]+$/);
    expect(pagePosition(token, list)).toEqual([3, 250]);
    expect(pagePosition(pageToken(list, ['ørders']), list)).toEqual(['ørders']);
    expect(pagePosition('', list)).toBeUndefined();
  });

  it.each([
    ['of another list', pageToken(['other'], [0, 0])],
    ['that is text', 'abc'],
    ['that is no base64url', '%%%'],
    ['with a negative offset', pageToken(list, [0, -1])],
    ['with a fraction', pageToken(list, [0, 0.5])],
    ['that is an object', Buffer.from('{"0":"1"}').toString('base64url')],
    ['that is long', 'A'.repeat(2_000)],
  ])('refuses one %s', (_, token) => {
    expect(refusedNow(() => pagePosition(token, list))).toEqual({
      reason: 'INVALID_FIELD',
      field: 'page_token',
    });
  });
});

describe('pageSize', () => {
  it('has a default and a limit', () => {
    expect(pageSize(0, DEFAULT_LIMITS)).toBe(DEFAULT_LIMITS.defaultPageSize);
    expect(pageSize(7, DEFAULT_LIMITS)).toBe(7);
    expect(pageSize(4_000_000_000, DEFAULT_LIMITS)).toBe(DEFAULT_LIMITS.maxPageSize);
    expect(refusedNow(() => pageSize(-1, DEFAULT_LIMITS)).field).toBe('page_size');
  });
});
