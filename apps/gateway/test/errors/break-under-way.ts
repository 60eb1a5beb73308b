import { setTimeout as sleep } from 'node:timers/promises';
import { eventually, type PrivateRedis, tcpProxy } from '@echomq/testkit';
import { startGateway } from '../../src/gateway.js';
import { HealthClient, healthOf } from '../health-client.js';
import { clientOf, keptLog, testConfig } from '../serving.js';
import { attempt, type Outcomes, RPCS, requestTo } from './attempt.js';
import type { Failure } from './failure.js';
import type { Rpc } from './requests.js';
import { stockedQueues } from './stores.js';
import { Wire } from './wire.js';

/** How every rpc ends when Redis takes its command and the link breaks before the reply comes. */
export async function breakUnderWay(server: PrivateRedis): Promise<Outcomes> {
  const admin = server.connect();
  const names = await stockedQueues(admin);
  await using proxy = await tcpProxy({ path: server.socketPath ?? '' });
  const url = `redis://127.0.0.1:${proxy.port}`;
  const gateway = await startGateway(testConfig({ ECHOMQ_REDIS_URL: url }), keptLog());
  const wire = new Wire(gateway.address);
  const health = clientOf(gateway.address, HealthClient);
  const outcomes = new Map<Rpc, Failure | undefined>();
  try {
    // A call that had not reached Redis when the link broke says so, and is made once more.
    for (let round = 0; round < 2; round += 1) {
      const left = RPCS.filter(
        (rpc) => round === 0 || outcomes.get(rpc)?.reason === 'BACKEND_UNAVAILABLE',
      );
      await eventually(async () => {
        if ((await healthOf(health)) !== 'SERVING') throw new Error('not serving');
        await wire.answer('GetJobCounts', { queue: 'q' });
      });
      proxy.swallow('toClient');
      const ends = left.map(async (rpc) => {
        const request = requestTo(rpc, names.get(rpc) ?? '');
        outcomes.set(rpc, await attempt(wire, rpc, request));
      });
      await quiet(admin);
      proxy.cut();
      proxy.resume('toClient');
      await Promise.all(ends);
    }
  } finally {
    wire.close();
    await gateway.close();
  }
  return outcomes;
}

/** Resolves when Redis has got no script for a while. */
async function quiet(admin: ReturnType<PrivateRedis['connect']>): Promise<void> {
  for (let [before, same] = [-1, 0]; same < 4; ) {
    await sleep(50);
    const info = await admin.info('commandstats');
    const calls = [...info.matchAll(/cmdstat_\S+calls=(\d+)/g)];
    const scripts = [...info.matchAll(/cmdstat_eval(?:sha)?:calls=(\d+)/g)];
    const now = scripts.reduce((sum, [, count]) => sum + Number(count), 0) + calls.length;
    same = now === before ? same + 1 : 0;
    before = now;
  }
}
