import { describe, expect, it } from 'vitest';
import { lineDifference } from '../src/oracle/line-difference.js';
import { judge } from '../src/oracle/verdict.js';

/** A case that differs from release 5 as listed, and is equal to release 6. */
const PAUSED = { transition: 'promote', name: 'while paused' };
const LISTED = ['+ wait = [1]', '- paused = [1]'];

describe('judge', () => {
  it('takes what is listed for the release', () => {
    expect(judge({ ...PAUSED, peer: '5.81.5' }, LISTED)).toEqual({
      unlisted: [],
      missing: [],
      listed: ['paused-jobs-stay-in-wait'],
    });
  });

  it('refuses a line that is not listed, also a listed one that comes twice', () => {
    const lines = [...LISTED, '+ wait = [1]', '+ stray = 1'];
    expect(judge({ ...PAUSED, peer: '5.81.5' }, lines).unlisted).toEqual([
      '+ wait = [1]',
      '+ stray = 1',
    ]);
  });

  it('refuses a listed line that is gone', () => {
    expect(judge({ ...PAUSED, peer: '5.81.5' }, LISTED.slice(1)).missing).toEqual([
      'paused-jobs-stay-in-wait: + wait = [1]',
    ]);
  });

  it('refuses for one release what is listed for another', () => {
    expect(judge({ ...PAUSED, peer: '6.7.0' }, LISTED).unlisted).toEqual(LISTED);
  });
});

describe('lineDifference', () => {
  it('finds nothing in equal texts', () => {
    expect(lineDifference(['a', 'b'], ['a', 'b'])).toEqual([]);
  });

  it('leaves what both have in common out, in order', () => {
    expect(lineDifference(['a', 'x', 'b', 'c'], ['a', 'b', 'y', 'c'])).toEqual(['+ x', '- y']);
  });

  it('sees another order', () => {
    expect(lineDifference(['a', 'b'], ['b', 'a'])).toEqual(['+ a', '- a']);
  });

  it('sees a line that stands twice', () => {
    expect(lineDifference(['a', 'a'], ['a'])).toEqual(['+ a']);
  });
});
