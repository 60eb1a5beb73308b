import { setTimeout as sleep } from 'node:timers/promises';
import { eventually, tcpProxy, useRedis } from '@echomq/testkit';
import { expect, it, onTestFinished } from 'vitest';
import { startGateway } from '../src/gateway.js';
import { Wire } from './errors/wire.js';
import { HealthClient, healthOf } from './health-client.js';
import { clientOf, keptLog, testConfig } from './serving.js';

const redis = useRedis();

/** What a probe saw, and when it asked and was answered, in ms. */
interface Sample {
  readonly asked: number;
  readonly answered: number;
  readonly service: string;
  readonly status: string;
}

it('through an outage: NOT_SERVING within 6 s of the cut, SERVING within 2 s of the first success, alive all the time', async () => {
  await using proxy = await tcpProxy({ path: redis.server.socketPath ?? '' });
  const url = `redis://127.0.0.1:${proxy.port}`;
  const gateway = await startGateway(testConfig({ ECHOMQ_REDIS_URL: url }), keptLog());
  onTestFinished(() => gateway.close());
  const client = clientOf(gateway.address, HealthClient);
  const wire = new Wire(gateway.address);
  onTestFinished(() => wire.close());
  const services = ['', 'echomq.v1.WorkerService', 'liveness'];
  const samples: Sample[] = [];
  const sample = async () => {
    const asked = performance.now();
    const found = await Promise.all(services.map((service) => healthOf(client, service)));
    const answered = performance.now();
    found.forEach((status, at) => {
      samples.push({ asked, answered, service: services[at] ?? '', status });
    });
  };
  let over = false;
  const sampling = (async () => {
    for (; !over; await sleep(200)) await sample();
  })();
  const seen = (service: string, status: string, since: number) =>
    eventually(() => {
      const found = samples.find(
        (one) => one.service === service && one.status === status && one.asked >= since,
      );
      if (!found) throw new Error(`no ${status} of ${service}`);
      return found;
    }, 20_000);

  await seen('', 'SERVING', 0);
  const cutAt = performance.now();
  proxy.refuse();
  proxy.cut();
  for (const service of services.slice(0, 2)) {
    expect((await seen(service, 'NOT_SERVING', cutAt)).answered - cutAt).toBeLessThan(6_000);
  }
  // Not at once: what is over in a moment turns nobody away.
  const early = samples.filter(({ asked, service }) => service === '' && asked - cutAt < 3_000);
  expect(early.filter(({ asked, status }) => asked > cutAt && status !== 'SERVING')).toEqual([]);
  // From here on a command can succeed: a little earlier than the first one that does.
  const firstAt = performance.now();
  await proxy.accept();
  await eventually(() => wire.answer('GetJobCounts', { queue: 'q' }), 20_000);
  for (const service of services.slice(0, 2)) {
    const { answered } = await seen(service, 'SERVING', cutAt + 5_500);
    expect(answered - firstAt).toBeLessThan(2_000);
  }
  over = true;
  await sampling;
  expect(
    samples.filter(({ service, status }) => service === 'liveness' && status !== 'SERVING'),
  ).toEqual([]);
}, 60_000);
