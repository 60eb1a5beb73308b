import { describe, expect, it } from 'vitest';
import { META, useStore } from '../../test/use-store.js';
import { pause } from './pause.js';

const used = useStore();

describe('pause', () => {
  describe('moves', () => {
    it('sets the flag, deletes the marker and leaves the lists', async () => {
      const queue = used.queue();
      const state = { wait: ['2', '1'], paused: ['3'], prioritized: { 4: 5 }, active: ['5'] };
      await queue.seed({ ...state, meta: META, marker: { 0: 0, 1: 1_700_000_000_000 } });

      await pause(used.store, queue.keys);

      expect(await queue.read()).toEqual({
        ...state,
        prioritized: [['4', 5]],
        meta: { ...META, paused: '1' },
        events: [{ event: 'paused' }],
      });
    });

    it('can be repeated', async () => {
      const queue = used.queue();
      await pause(used.store, queue.keys);
      await pause(used.store, queue.keys);
      expect(await queue.read()).toEqual({
        meta: { paused: '1' },
        events: [{ event: 'paused' }, { event: 'paused' }],
      });
    });
  });
});
