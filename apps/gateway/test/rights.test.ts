import { describe, expect, it } from 'vitest';
import { fitsGlob } from '../src/access/glob.js';
import { maskOf, Rights } from '../src/access/rights.js';

describe('fitsGlob', () => {
  it.each([
    ['orders', 'orders', true],
    ['orders', 'orders2', false],
    ['orders', 'order', false],
    ['', '', true],
    ['', 'a', false],
    ['*', '', true],
    ['*', 'anything', true],
    ['mail-*', 'mail-', true],
    ['mail-*', 'mail', false],
    ['*-mail', 'a-mail-mail', true],
    ['*-mail', 'a-mailx', false],
    ['a*b*c', 'a-b-b-c', true],
    ['a*b*c', 'a-c-b', false],
    ['?', 'ä', true],
    ['?', '', false],
    ['a?c', 'abc', true],
    ['a.c', 'abc', false],
    ['[ab]', 'a', false],
    ['Orders', 'orders', false],
  ])('%s and %s: %s', (pattern, text, fits) => expect(fitsGlob(pattern, text)).toBe(fits));

  it('is not slowed down by many stars', () => {
    const begun = performance.now();
    expect(fitsGlob('*a'.repeat(50), `${'a'.repeat(5_000)}b`)).toBe(false);
    expect(performance.now() - begun).toBeLessThan(1_000);
  });
});

describe('Rights', () => {
  const may = (rights: Rights, verb: 'work' | 'read' | 'admin', queue: string) =>
    rights.may(maskOf([verb]), queue);

  it('are the sum of the grants, each verb by itself', () => {
    const rights = new Rights(
      [
        { queues: ['orders', 'mail-*'], verbs: ['work'] },
        { queues: ['mail-1'], verbs: ['read'] },
      ],
      true,
    );
    expect([may(rights, 'work', 'mail-1'), may(rights, 'read', 'mail-1')]).toEqual([true, true]);
    expect([may(rights, 'work', 'mail-2'), may(rights, 'read', 'mail-2')]).toEqual([true, false]);
    expect(may(rights, 'admin', 'orders')).toBe(false);
    expect([rights.mayAnywhere('read'), rights.mayAnywhere('admin')]).toEqual([true, false]);
    expect(rights.all).toBe(false);
  });

  it('in a cluster `{name}` and `name` are one queue, elsewhere they are two', () => {
    const grants = [{ queues: ['orders', '{mail}'], verbs: ['work'] as const }];
    const [alone, cluster] = [new Rights(grants, true), new Rights(grants, false)];
    for (const queue of ['orders', '{orders}', 'mail', '{mail}']) {
      expect(may(cluster, 'work', queue)).toBe(true);
      expect(may(alone, 'work', queue)).toBe(queue === 'orders' || queue === '{mail}');
    }
  });

  it('do not grow with the names that are asked for', () => {
    const rights = new Rights([{ queues: ['a*'], verbs: ['work'] }], true);
    for (let i = 0; i < 5_000; i += 1) expect(may(rights, 'work', `a${i}`)).toBe(true);
    expect(may(rights, 'work', `a${'b'.repeat(1_000_000)}`)).toBe(false);
  });

  it('cover all only where all verbs are granted on all queues', () => {
    const all = ['produce', 'work', 'read', 'admin'] as const;
    expect(new Rights([{ queues: ['*'], verbs: all }], true).all).toBe(true);
    expect(new Rights([{ queues: ['**'], verbs: all }], true).all).toBe(true);
    expect(new Rights([{ queues: ['a*'], verbs: all }], true).all).toBe(false);
    expect(new Rights([{ queues: ['*'], verbs: ['work'] }], true).all).toBe(false);
  });
});
