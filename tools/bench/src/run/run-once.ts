import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { spawnGuarded, startLocalRedis } from '@echomq/local-redis';
import type { ContenderName, Place } from '../contender.js';
import type { Figures } from '../measure.js';
import type { Scene } from '../plan.js';
import { pythonOf } from './pythons.js';
import { ANSWER, type RunAnswer, type RunSpec } from './spec.js';

/** What is built: a test runs this file as it is. */
const CHILD = fileURLToPath(new URL('../../build/run/child.js', import.meta.url));
const GATEWAY = join(dirname(createRequire(import.meta.url).resolve('@echomq/gateway')), 'main.js');
/** A run that takes longer has failed, ms. */
const LIMIT_MS = 300_000;

/**
 * One run of one contender: an empty Redis, a gateway where it needs one, a fresh process.
 *
 * @throws Error when the run fails or its books do not balance
 */
export async function runOnce(contender: ContenderName, scene: Scene): Promise<Figures> {
  const python = pythonOf(contender);
  if (python && 'missing' in python) throw new Error(python.missing);
  const redis = await startLocalRedis({ persistence: scene.aof ? 'aof' : 'none' });
  const redisPort = redis.port ?? 0;
  const gateway = /gateway|unary|^echomq-python/.test(contender)
    ? await startGateway(redisPort)
    : undefined;
  try {
    const place: Place = {
      redisPort,
      queue: 'bench',
      ...(python ? { python: python.tool } : {}),
      ...(gateway ? { gateway: gateway.address, gatewayPid: gateway.pid } : {}),
    };
    const { measure, params } = scene;
    return await inChild({ contender, measure, params, place });
  } finally {
    await gateway?.stop();
    await redis.stop();
  }
}

async function inChild(spec: RunSpec): Promise<Figures> {
  const child = spawnGuarded({
    binary: process.execPath,
    args: [CHILD, JSON.stringify(spec)],
    cwd: process.cwd(),
    env: { ...process.env, NODE_ENV: 'production' },
    output: 'pipe',
  });
  const late = setTimeout(() => child.kill('SIGKILL'), LIMIT_MS);
  const text = await outputOf(child);
  clearTimeout(late);
  const line = text.split('\n').find((each) => each.startsWith(ANSWER));
  if (line === undefined) throw new Error(`the run has no answer:\n${text.slice(-2_000)}`);
  const answer = JSON.parse(line.slice(ANSWER.length)) as RunAnswer;
  if ('problem' in answer) throw new Error(answer.problem);
  return answer.figures;
}

function outputOf(child: ReturnType<typeof spawnGuarded>): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (part: Buffer) => {
        text += part.toString();
      });
    }
    child.once('close', () => resolve(text));
  });
}

async function startGateway(redisPort: number) {
  const child = spawnGuarded({
    binary: process.execPath,
    args: [GATEWAY, '--listen=127.0.0.1:0', '--log-level=warn'],
    cwd: process.cwd(),
    env: {
      PATH: process.env.PATH ?? '',
      NODE_ENV: 'production',
      ECHOMQ_REDIS_URL: `redis://127.0.0.1:${redisPort}`,
    },
    output: 'pipe',
  });
  // A guarded child does not keep this process alive by itself.
  child.ref();
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const address = await new Promise<string>((resolve, reject) => {
    let text = '';
    child.stdout?.on('data', (part: Buffer) => {
      text += part.toString();
      const found = /listening on (\S+)/.exec(text)?.[1];
      if (found) resolve(found);
    });
    void closed.then(() => reject(new Error(`the gateway did not start: ${text}`)));
  });
  return {
    address,
    pid: child.pid ?? 0,
    stop: async () => {
      child.kill('SIGTERM');
      await closed;
    },
  };
}
