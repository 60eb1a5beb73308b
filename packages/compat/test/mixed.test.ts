import { collect, eventually, type FreshQueue } from '@echomq/testkit';
import { describe, expect, it } from 'vitest';
import { PEERS, type Peer } from '../src/oracle/peers.js';
import type { House } from '../src/peers/house.js';
import {
  addByTurns,
  notingWork,
  type Planned,
  planLoad,
  type Ran,
} from '../src/peers/mixed-load.js';
import { useHouses, WAYS } from './use-houses.js';

const share = useHouses();
const COUNT = 300;
const PLACES = ['wait', 'paused', 'active', 'prioritized', 'delayed'];

/** What each task is to have gone through: its attempts, in order. */
function planned(plan: readonly Planned[]): Record<string, number[]> {
  return Object.fromEntries(
    plan.map(({ task, runs }) => [task.key, Array.from({ length: runs }, (_, i) => i)]),
  );
}

function attempts(ran: readonly Ran[]): Record<string, number[]> {
  const byKey: Record<string, number[]> = {};
  for (const { task, attemptsMade } of ran) {
    byKey[task.key] = [...(byKey[task.key] ?? []), attemptsMade];
  }
  return byKey;
}

/** The ids of the plan that end so, as a finished set has them. */
function idsOf(ids: readonly string[], plan: readonly Planned[], end: Planned['end']): string[] {
  return ids.filter((_, i) => plan[i]?.end === end).sort();
}

async function whenEmpty(queue: FreshQueue): Promise<void> {
  await eventually(async () => {
    const keys = Object.keys(await queue.read());
    expect(keys.filter((key) => PLACES.includes(key) || key.endsWith(':lock'))).toEqual([]);
  }, 30_000);
}

/** Pauses and resumes, by each in turn, while jobs come and go. */
async function interrupt(houses: readonly House[], ran: readonly Ran[]): Promise<void> {
  for (const [i, part] of [0.2, 0.4, 0.6, 0.8].entries()) {
    await eventually(() => expect(ran.length).toBeGreaterThan(COUNT * part), 30_000);
    const house = houses[i % houses.length] as House;
    await house.pause();
    await house.add({ key: `meanwhile${i}`, fails: 0 });
    await house.resume();
  }
}

/** Whose resume may be called: BullMQ 5's throws away what others put into `wait` meanwhile. */
function pausers(peer: Peer, echo: House, bull: House): House[] {
  return peer.startsWith('5.') ? [echo] : [echo, bull];
}

describe.each(PEERS)('bullmq %s', (peer) => {
  it.each(WAYS)(
    'shares a queue with EchoMQ by its %s: each job runs as often as it must',
    async (way) => {
      const { queue, echo, bull } = share(peer, way);
      const plan = planLoad(COUNT);
      const ran = collect<Ran>('runs');
      echo.work(notingWork('EchoMQ', ran.push));
      echo.work(notingWork('EchoMQ', ran.push));
      bull.work(notingWork('BullMQ', ran.push));

      const [ids] = await Promise.all([
        addByTurns(plan, [echo, bull]),
        interrupt(pausers(peer, echo, bull), ran.items),
      ]);
      const runs = plan.reduce((sum, task) => sum + task.runs, 0);
      await ran.waitFor(runs + 4, 60_000);
      await whenEmpty(queue);

      const meanwhile = Object.fromEntries([0, 1, 2, 3].map((i) => [`meanwhile${i}`, [0]]));
      expect(attempts(ran.items)).toEqual({ ...planned(plan), ...meanwhile });
      expect(new Set(ran.items.map(({ by }) => by))).toEqual(new Set(['EchoMQ', 'BullMQ']));
      const dump = await queue.read();
      const ended = (set: string) => (dump[set] as [string, number][]).map(([id]) => id);
      expect(ended('failed').sort()).toEqual(idsOf(ids, plan, 'failed'));
      const completed = new Set(ended('completed'));
      expect(idsOf(ids, plan, 'completed').filter((id) => !completed.has(id))).toEqual([]);
      expect(completed.size + ended('failed').length).toBe(COUNT + 4);
      expect(await bull.queue.getJobCounts('completed', 'failed', 'wait', 'active')).toMatchObject({
        completed: completed.size,
        failed: ended('failed').length,
        wait: 0,
        active: 0,
      });
    },
    120_000,
  );
});
