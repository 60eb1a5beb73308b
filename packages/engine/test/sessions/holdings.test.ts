import { describe, expect, test } from 'vitest';
import type { Holding } from '../../src/sessions/effects.js';
import { Holdings } from '../../src/sessions/holdings.js';
import { Windows } from '../../src/sessions/windows.js';

function holding(token: string): Holding {
  return {
    ...{ queue: 'q', queueKey: 'q', jobId: token, token, bytes: 1, lockMs: 30_000 },
    ...{ deliveredAt: 0, accepted: false, running: false, reporting: false, outlived: false },
    waiting: [],
  };
}

function holdingsWith(...held: readonly Holding[]): Holdings {
  const holdings = new Holdings(new Windows());
  for (const each of held) holdings.add(each);
  return holdings;
}

describe('jobs that nobody has accepted', () => {
  test('are those that were neither accepted nor let go', () => {
    const [a, b, c] = [holding('a'), holding('b'), holding('c')];
    const holdings = holdingsWith(a, b, c);
    holdings.accept(b);
    // Its report names it once more.
    holdings.accept(b);
    expect(holdings.unacceptedSince(0)).toEqual([a, c]);
    holdings.remove(a);
    holdings.remove(b);
    expect(holdings.unacceptedSince(0)).toEqual([c]);
    expect(holdings.size).toBe(1);
  });

  test('one that comes again after its end counts anew', () => {
    const first = holding('a');
    const holdings = holdingsWith(first);
    holdings.accept(first);
    holdings.remove(first);
    const again = holding('a');
    holdings.add(again);
    expect(holdings.unacceptedSince(0)).toEqual([again]);
  });
});
