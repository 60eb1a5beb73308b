import { loadConfig, startGateway } from '@echomq/gateway';
import { onTestFinished } from 'vitest';

/** Where a gateway of a test is. */
export interface OpenGateway {
  readonly address: string;
  /** Of its metrics, without a scheme. */
  readonly metrics: string;
}

/** A gateway over a private store, with metrics, ended with the test. */
export async function openGateway(redisUrl: string): Promise<OpenGateway> {
  const loaded = loadConfig({
    env: {
      ECHOMQ_REDIS_URL: redisUrl,
      ECHOMQ_LISTEN: '127.0.0.1:0',
      ECHOMQ_METRICS_LISTEN: '127.0.0.1:0',
      ECHOMQ_METRICS_QUEUES: 'orders',
      ECHOMQ_LOG_LEVEL: 'silent',
    },
  });
  if (loaded.kind !== 'run') throw new Error('no configuration');
  const gateway = await startGateway(loaded.config);
  onTestFinished(() => gateway.close());
  return {
    address: gateway.address,
    metrics: (gateway.metricsAddress ?? '').replace('http://', ''),
  };
}
