import { jobHash } from '@echomq/testkit';
import { describe, expect, it } from 'vitest';
import { NOW, useStore } from '../../test/use-store.js';
import { removeJobScheduler } from './removeJobScheduler.js';

const used = useStore();
const RUN = `repeat:nightly:${NOW}`;
const scheduler = {
  repeat: { nightly: NOW, other: NOW },
  'repeat:nightly': { name: 'tidy' },
  'repeat:other': { name: 'x' },
  jobs: { [RUN]: { rjk: 'nightly' } },
};
const REST = { repeat: [['other', NOW]], 'repeat:other': { name: 'x' } };

describe('removeJobScheduler', () => {
  it('moves nothing: it removes the scheduler and its run ahead', async () => {
    const queue = used.queue();
    await queue.seed({ ...scheduler, delayed: { [RUN]: 5 }, [`${RUN}:logs`]: ['l'] });
    expect(await removeJobScheduler(used.store, queue.keys, 'nightly')).toBe(true);
    expect(await queue.read()).toEqual({
      ...REST,
      events: [{ event: 'removed', jobId: RUN, prev: 'delayed' }],
    });
  });

  it.each([{ wait: [RUN] }, { active: [RUN] }])('leaves a run that %j', async (place) => {
    const queue = used.queue();
    await queue.seed({ ...scheduler, ...place });
    expect(await removeJobScheduler(used.store, queue.keys, 'nightly')).toBe(true);
    expect(await queue.read()).toEqual({ ...REST, ...place, [RUN]: jobHash({ rjk: 'nightly' }) });
  });

  it('says that there was none, and writes nothing', async () => {
    const queue = used.queue();
    await queue.seed(scheduler);
    const before = await queue.read();
    expect(await removeJobScheduler(used.store, queue.keys, 'unknown')).toBe(false);
    expect(await queue.read()).toEqual(before);
  });
});
