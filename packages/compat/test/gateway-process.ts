import { fileURLToPath } from 'node:url';
import { spawnNode } from '@echomq/testkit';

const GATEWAY = fileURLToPath(new URL('../../../apps/gateway/build/main.js', import.meta.url));
const READY = /^echomq-gateway listening on (\S+)$/;

/** Starts a gateway over a server, ended with the test. Returns its address. */
export async function startedGateway(
  redisUrl: string,
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const gateway = await spawnNode(GATEWAY, {
    ready: READY,
    readyLimitMs: 30_000,
    env: { ECHOMQ_LISTEN: '127.0.0.1:0', ECHOMQ_REDIS_URL: redisUrl, ...env },
  });
  return READY.exec(gateway.readyLine)?.[1] ?? '';
}
