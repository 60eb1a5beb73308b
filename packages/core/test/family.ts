import type { QueueState } from '@echomq/testkit';
import { moveToFinished } from '../src/transitions/moveToFinished.js';
import { activeJob } from './lease-rejections.js';
import { META, NOW, type TestQueue, type UsedStore } from './use-store.js';

/** A child and its parent, in two queues. */
export interface Family {
  readonly children: TestQueue;
  readonly parents: TestQueue;
  /** Ends the child `1`. */
  end(target: 'completed' | 'failed'): Promise<void>;
}

/** An active child `1` in one queue and its parent `p` in another, waiting for it. */
export async function family(
  used: UsedStore,
  policy: Record<string, unknown>,
  parent: QueueState = {},
  childOpts: unknown = {},
): Promise<Family> {
  const [children, parents] = [used.queue(), used.queue()];
  const json = { id: 'p', queueKey: parents.base.slice(0, -1), ...policy };
  const child = { parent: json, parentKey: parents.key('p'), opts: childOpts };
  await children.seed(activeJob(child, { active: ['1', 'other'] }));
  await parents.seed({
    meta: META,
    jobs: { p: { timestamp: 1 } },
    'waiting-children': { p: 5 },
    'p:dependencies': [children.key('1')],
    ...parent,
  });
  return {
    children,
    parents,
    async end(target) {
      const value = target === 'completed' ? '{"n":1}' : 'boom';
      const how = { jobId: '1', target, value, fetchNext: false, options: { token: 't1' } };
      await moveToFinished(used.store, children.keys, how, NOW);
    },
  };
}

/** What a released parent's queue has besides its hash. */
export const RELEASED = { wait: ['p'], meta: META, marker: [['0', 0]] };
/** The event of a release. */
export const WAITING = [{ event: 'waiting', jobId: 'p', prev: 'waiting-children' }];
