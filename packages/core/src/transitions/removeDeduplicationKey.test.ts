import { describe, expect, it } from 'vitest';
import { useStore } from '../../test/use-store.js';
import { removeDeduplicationKey } from './removeDeduplicationKey.js';

const used = useStore();

describe('removeDeduplicationKey', () => {
  it.each([
    ['whoever owns it', '', true],
    ['the job that owns it', '1', true],
    ['not for another', '2', false],
  ])('moves nothing: it frees the id for %s', async (_, owner, freed) => {
    const queue = used.queue();
    await queue.seed({ 'de:d': '1', 'de:e': '1', wait: ['1'], jobs: { 1: { deid: 'd' } } });
    const { 'de:d': key, ...rest } = await queue.read();
    expect(await removeDeduplicationKey(used.store, queue.keys, 'd', owner)).toBe(freed);
    expect(await queue.read()).toEqual(freed ? rest : { ...rest, 'de:d': key });
  });

  it('says that an id was not taken', async () => {
    expect(await removeDeduplicationKey(used.store, used.queue().keys, 'd')).toBe(false);
  });
});
