import { fileURLToPath } from 'node:url';
import { eventually, spawnNode } from '@echomq/testkit';
import { describe, expect, it } from 'vitest';
import {
  addMany,
  checkBooks,
  complete,
  finish,
  PATIENCE_MS,
  refusalOf,
  span,
  take,
  useRig,
} from '../../src/index.js';
import { openWork } from '../wire/work-stream.js';

const rig = useRig({ proxied: true });
const CLIENT = fileURLToPath(new URL('../fixtures/working-client.mjs', import.meta.url));

describe('a gateway that is told to end', () => {
  it('T113 graceful stop never ends: clients that were killed or hang do not hold it', async () => {
    const queue = rig.freshQueue();
    const gateway = await rig.another({ processes: true });
    const clients = await Promise.all(
      Array.from({ length: 3 }, () =>
        spawnNode(CLIENT, {
          args: [gateway.address, queue.name],
          ready: /^ready$/,
          readyLimitMs: PATIENCE_MS,
        }),
      ),
    );
    const [killed, hanging, idle] = clients;
    // A bare stream that answers nothing, and a poll that waits.
    openWork(rig.raw(gateway.address), queue.name, 5);
    const poll = take(rig.raw(gateway.address), queue.name, { wait: span(20_000) });
    poll.catch(() => {});
    hanging?.pause();
    killed?.kill('SIGKILL');
    gateway.process?.kill('SIGTERM');
    expect(await gateway.process?.exit.wait(20_000)).toEqual({ code: 0, signal: null });
    expect(idle?.exit.settled).toBe(false);
  });

  it('T114 graceful stop cuts unary: calls under way get their answers, new ones a status that says why', async () => {
    const queue = rig.freshQueue();
    const gateway = await rig.another({ processes: true, flags: ['--drain-timeout-ms=8000'] });
    const [raw, late] = [rig.raw(gateway.address), rig.raw(gateway.address)];
    const ids = await addMany(raw, queue.name, 20);
    const jobs = await take(raw, queue.name, { maxJobs: 20, wait: span(1_000) });
    await late.call('gateway', 'getServerInfo', {});
    const stream = openWork(late, queue.name, 1);
    rig.store.delay(600, 'toClient');
    const finishes = jobs.map((job) => finish(raw, job, complete()));
    await eventually(async () => {
      const held = await rig.redis.client.zcard(queue.key('completed'));
      expect(held).toBeGreaterThan(0);
    }, PATIENCE_MS);
    gateway.process?.kill('SIGTERM');
    const lines = () => gateway.process?.lines.items.join('\n') ?? '';
    await eventually(() => expect(lines()).toContain('gateway.draining'), PATIENCE_MS);
    const refused = await refusalOf(take(late, queue.name, { wait: span(1_000) }));
    expect(refused.status).toBe('UNAVAILABLE');
    expect((await Promise.all(finishes)).map(({ result }) => result?.disposition)).toEqual(
      ids.map(() => 1),
    );
    rig.store.delay(0, 'toClient');
    stream.cancel();
    expect(await gateway.process?.exit.wait(20_000)).toEqual({ code: 0, signal: null });
    expect(checkBooks(await queue.read(), { accepted: ids, atRest: true })).toEqual([]);
  });
});
