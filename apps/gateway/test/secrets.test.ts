import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { GetJobStateRequest, WorkRequest } from '@echomq/proto/messages';
import { QueueServiceClient, WorkerServiceClient } from '@echomq/proto/services';
import { spawnNode } from '@echomq/testkit';
import { describe, expect, it } from 'vitest';
import { accessFile, bearer, entry, testFolder } from './access-files.js';
import { failureOf, unary } from './call.js';
import { inSeconds, jwtEnv, makeKey, token } from './issuer.js';
import { clientOf } from './serving.js';

const main = fileURLToPath(new URL('../build/main.js', import.meta.url));
const READY = /^echomq-gateway listening on (\S+)$/;

/** Settings in which every secret is known, and the secrets. */
async function secretive() {
  const folder = testFolder();
  const at = (name: string, text: string) => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  };
  const key = await makeKey('one');
  const jwt = await token(key);
  const old = await token(key, { exp: inSeconds(-60) });
  const file = accessFile([entry('anna', 'secret-token'), entry('ben', 'other-token')], folder);
  const url = 'redis+sentinel://anna:secret-url@127.0.0.1:1/main';
  const config = at('gateway.yaml', `redisUrl: ${url}\nredisSentinelUsername: watcher\n`);
  const env = {
    ...jwtEnv(at('keys.json', JSON.stringify({ keys: [key.jwk] }))),
    ECHOMQ_CONFIG: config,
    ECHOMQ_LISTEN: '127.0.0.1:0',
    ECHOMQ_LOG_LEVEL: 'trace',
    ECHOMQ_ACCESS_FILE: file.path,
    ECHOMQ_REDIS_PASSWORD_FILE: at('password', 'secret-file\n'),
    ECHOMQ_REDIS_SENTINEL_PASSWORD_FILE: at('sentinel', 'secret-sentinel\n'),
  };
  const hashes = [entry('', 'secret-token').sha256, entry('', 'other-token').sha256];
  const tokens = [jwt, old].flatMap((each) => [each, each.split('.')[2] ?? '']);
  const secrets = ['secret-', 'other-token', ...hashes, ...tokens];
  return { env, jwt, old, secrets };
}

/** Which of some secrets a text holds. */
const leaked = (text: string, secrets: readonly string[]) =>
  secrets.filter((secret) => text.includes(secret));

describe('secrets', () => {
  it('are not in what --print-config shows', async () => {
    const { env, secrets } = await secretive();
    const run = promisify(execFile)(process.execPath, [main, '--print-config'], {
      env: { ...process.env, ...env },
    });
    const { stdout, stderr } = await run;
    expect(leaked(stdout + stderr, secrets)).toEqual([]);
    expect(JSON.parse(stdout)).toMatchObject({
      redisUrl: 'redis+sentinel://anna:***@127.0.0.1:1/main',
      redisSentinelUsername: 'watcher',
      accessFile: env.ECHOMQ_ACCESS_FILE,
    });
  });

  it('are not in the log, whatever callers send', async () => {
    const { env, jwt, old, secrets } = await secretive();
    const gateway = await spawnNode(main, { ready: READY, readyLimitMs: 20_000, env });
    const address = READY.exec(gateway.readyLine)?.[1] ?? '';
    const queues = clientOf(address, QueueServiceClient);
    const request = GetJobStateRequest.fromPartial({ queue: 'q', jobId: '1' });
    for (const shown of ['secret-token', 'secret-wrong', jwt, old, `${jwt}x`, 'a.b.c']) {
      const error = await failureOf(
        unary((done) => queues.getJobState(request, bearer(shown), done)),
      );
      expect(leaked(error.message + JSON.stringify(error.metadata.toJSON()), secrets)).toEqual([]);
    }
    const stream = clientOf(address, WorkerServiceClient).work(bearer(jwt));
    const ended = new Promise((resolve) => stream.on('status', resolve));
    stream.on('error', () => undefined);
    stream.resume();
    stream.write(WorkRequest.fromPartial({ message: { $case: 'drain', value: {} } }));
    await ended;
    gateway.kill('SIGTERM');
    await gateway.exit.wait(15_000);
    const log = gateway.lines.items.join('\n');
    expect(log).toContain('callers.refused');
    expect(leaked(log, secrets)).toEqual([]);
  });
});
