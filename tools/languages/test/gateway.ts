import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { spawnNode } from '@echomq/testkit';

const MAIN = join(dirname(createRequire(import.meta.url).resolve('@echomq/gateway')), 'main.js');

/** A gateway on a private server, ended with the test; its keys begin with `bull:`. @returns its address */
export async function startGateway(redisUrl: string): Promise<string> {
  const args = [`--redis-url=${redisUrl}`, '--listen=127.0.0.1:0'];
  const ready = /listening on (\S+)$/;
  const gateway = await spawnNode(MAIN, { args, ready, readyLimitMs: 30_000 });
  return ready.exec(gateway.readyLine)?.[1] ?? '';
}
