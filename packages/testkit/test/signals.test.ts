import { describe, expect, it } from 'vitest';
import { collect } from '../src/signals/collect.js';
import { eventually } from '../src/signals/eventually.js';
import { signal } from '../src/signals/signal.js';

describe('signal', () => {
  it('gives what it was told, before and after, to all who wait', async () => {
    const done = signal<number>('the end');
    const early = done.wait();
    expect(done.settled).toBe(false);
    done.resolve(1);
    done.resolve(2);
    expect(done.settled).toBe(true);
    expect(await Promise.all([early, done.wait()])).toEqual([1, 1]);
  });

  it('fails with its name when it does not come', async () => {
    const never = signal('the second delivery');
    await expect(never.wait(5)).rejects.toThrow('the second delivery did not come within 5 ms');
  });

  it('hands a failure on, also when nobody waits yet', async () => {
    const broken = signal();
    broken.reject(new Error('broken'));
    await new Promise(setImmediate);
    await expect(broken.wait()).rejects.toThrow('broken');
  });
});

describe('collect', () => {
  it('gathers in order and tells when enough have come', async () => {
    const events = collect<string>('events');
    const two = events.waitFor(2);
    events.push('a');
    events.push('b');
    expect(await two).toEqual(['a', 'b']);
    expect(await events.waitFor(1)).toEqual(['a', 'b']);
    expect(events.items).toEqual(['a', 'b']);
  });

  it('says what came when too few did', async () => {
    const events = collect<string>('events');
    events.push('a');
    await expect(events.waitFor(2, 5)).rejects.toThrow(
      '2 events did not come within 5 ms; came: ["a"]',
    );
  });
});

describe('eventually', () => {
  it('tries until the check passes and gives what it gave', async () => {
    let tries = 0;
    const result = await eventually(() => {
      tries += 1;
      expect(tries).toBeGreaterThanOrEqual(3);
      return tries;
    });
    expect(result).toBe(3);
  });

  it('throws the last failure when time is over', async () => {
    await expect(eventually(() => Promise.reject(new Error('too early')), 20)).rejects.toThrow(
      'too early',
    );
  });
});
