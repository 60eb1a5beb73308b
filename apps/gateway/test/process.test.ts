import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { WorkRequest, type WorkResponse } from '@echomq/proto/messages';
import { WorkerServiceClient } from '@echomq/proto/services';
import { collect, spawnNode, useRedis } from '@echomq/testkit';
import { describe, expect, it } from 'vitest';
import { accessFile, testFolder } from './access-files.js';
import { HealthClient, healthOf } from './health-client.js';
import { clientOf } from './serving.js';

/** As it is installed: built. */
const main = fileURLToPath(new URL('../build/main.js', import.meta.url));
const READY = /^echomq-gateway listening on (\S+)$/;

const redis = useRedis();

/** The real process, and the address of its ready line. */
async function start(env: Readonly<Record<string, string>> = {}) {
  const gateway = await spawnNode(main, {
    ready: READY,
    readyLimitMs: 20_000,
    env: { ECHOMQ_LISTEN: '127.0.0.1:0', ECHOMQ_REDIS_URL: redis.url, ...env },
  });
  return { gateway, address: READY.exec(gateway.readyLine)?.[1] ?? '' };
}

/** Runs it to its end with these arguments. */
async function run(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const command = promisify(execFile)(process.execPath, [main, ...args], {
    env: { ...process.env, ...env },
  });
  const done = await command.then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    (error: { code: number; stdout: string; stderr: string }) => error,
  );
  return { code: done.code, stdout: done.stdout, stderr: done.stderr };
}

describe('echomq-gateway', () => {
  it('shows its help and its configuration', async () => {
    const [help, config] = await Promise.all([
      run(['--help']),
      run(['--print-config'], { ECHOMQ_REDIS_URL: 'redis://:hunter2@db' }),
    ]);
    expect(help).toMatchObject({ code: 0, stderr: '' });
    expect(help.stdout).toContain('--redis-url <url>');
    expect(config).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(config.stdout)).toMatchObject({ redisUrl: 'redis://:***@db' });
  });

  it('ends with 2 and every problem of a wrong configuration', async () => {
    const { code, stdout, stderr } = await run(['--listen', 'x'], { ECHOMQ_PREFIX: 'a:' });
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr.split('\n')).toEqual([
      'echomq-gateway: the configuration is wrong',
      '  --listen: must be host:port, as in 127.0.0.1:50051 or [::1]:50051',
      '  ECHOMQ_PREFIX: must not be blank, hold control characters or end with a colon',
      '',
    ]);
  });

  it('ends with 2 and every problem of a file that it names', async () => {
    const principals = [
      { principal: 'anna', sha256: 'hunter2' },
      { certificate: 'a', namespace: 'hunter2' },
    ];
    const { path } = accessFile(principals);
    const { code, stdout, stderr } = await run(['--access-file', path]);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('  access.yaml:5 sha256: must be a SHA-256 of 64 hex digits\n');
    expect(stderr).toContain('  access.yaml:9 namespace: is none that this gateway serves\n');
    expect(stderr).not.toContain('hunter2');
    const keys = await run(['--jwt-keys', path, '--jwt-issuer', 'i', '--jwt-audience', 'a']);
    expect(keys.code).toBe(2);
    expect(keys.stderr).toContain(`  ${path}: is no JSON Web Key Set with a public key\n`);
  });

  it('ends with 1 where it cannot listen', async () => {
    const { address } = await start();
    const again = await run([], { ECHOMQ_LISTEN: address, ECHOMQ_REDIS_URL: redis.url });
    expect([again.code, again.stdout]).toEqual([1, '']);
    expect(again.stderr).toContain(
      `echomq-gateway: listen: cannot listen on ${address}: another process listens there already`,
    );
    expect(again.stderr).not.toMatch(/^\s+at /m);
    // Lines of JSON, and this one for people: nothing of libraries.
    const others = again.stderr
      .split('\n')
      .filter((line) => !/^(\{.*\}|echomq-gateway: .*)?$/.test(line));
    expect(others).toEqual([]);
    const foreign = await run([], { ECHOMQ_LISTEN: '192.0.2.7:0', ECHOMQ_INSECURE: 'true' });
    expect([foreign.code, foreign.stdout]).toEqual([1, '']);
    expect(foreign.stderr).toContain(
      'listen: cannot listen on 192.0.2.7:0: the address is none of',
    );
  });

  it('ends with 2 and all mistakes of files that it cannot use', async () => {
    const folder = testFolder();
    const at = (name: string, text: string) => {
      writeFileSync(join(folder, name), text);
      return join(folder, name);
    };
    const missing = await run(['--tls-cert', '/no/such.crt', '--tls-key', '/no/such.key']);
    expect([missing.code, missing.stdout]).toEqual([2, '']);
    expect(missing.stderr).toContain('  --tls-cert: the file cannot be read\n');
    expect(missing.stderr).toContain('  --tls-key: the file cannot be read\n');
    const [cert, key] = [at('tls.crt', 'no PEM'), at('tls.key', 'no PEM')];
    const broken = await run(['--tls-cert', cert, '--tls-key', key, '--listen', '127.0.0.1:0']);
    expect([broken.code, broken.stdout]).toEqual([2, '']);
    expect(broken.stderr).toContain(cert);
    const yaml = await run(['--config', at('bad.yaml', 'listen: [1\nprefix: x')]);
    expect([yaml.code, yaml.stdout]).toEqual([2, '']);
    expect(yaml.stderr).toMatch(/bad\.yaml:\d/);
    for (const { stderr } of [missing, broken, yaml]) expect(stderr).not.toMatch(/^\s+at /m);
  });

  it('logs its configuration at the start, without the password', async () => {
    const { gateway } = await start({ ECHOMQ_REDIS_URL: 'redis://:hunter2@127.0.0.1:1' });
    const log = gateway.lines.items.join('\n');
    expect(log).toContain('"redisUrl":"redis://:***@127.0.0.1:1"');
    expect(log).not.toContain('hunter2');
    gateway.kill('SIGINT');
    expect(await gateway.exit.wait()).toEqual({ code: 0, signal: null });
  });

  it('tells open streams at SIGTERM and ends with 0', async () => {
    const queue = redis.freshQueue();
    const { gateway, address } = await start({ ECHOMQ_DRAIN_TIMEOUT_MS: '1500' });
    const client = clientOf(address, WorkerServiceClient);
    const streams = [client.work(), client.work(), client.work()];
    const kinds = streams.map((stream, index) => {
      const answers = collect<string>('answers');
      stream.on('data', ({ message }: WorkResponse) => answers.push(message?.$case ?? ''));
      stream.on('error', () => undefined);
      stream.write(
        WorkRequest.fromPartial({
          message: {
            $case: 'open',
            value: {
              worker: { workerId: 'w', sessionId: `session-${index}` },
              subscriptions: [{ queue: queue.name, maxInFlight: 1 }],
            },
          },
        }),
      );
      return answers;
    });
    for (const answers of kinds) await answers.waitFor(1);
    expect(await healthOf(clientOf(address, HealthClient))).toBe('SERVING');
    gateway.kill('SIGTERM');
    expect(await gateway.exit.wait(15_000)).toEqual({ code: 0, signal: null });
    for (const answers of kinds) {
      expect(answers.items[0]).toBe('opened');
      expect(answers.items).toContain('directive');
    }
  });

  it('ends with 1 at once at the second signal', async () => {
    const { gateway, address } = await start({ ECHOMQ_DRAIN_TIMEOUT_MS: '60000' });
    const stream = clientOf(address, WorkerServiceClient).work();
    const answers = collect<WorkResponse>('answers');
    stream.on('data', answers.push);
    stream.on('error', () => undefined);
    const worker = { workerId: 'w', sessionId: 'session-9' };
    const subscriptions = [{ queue: 'q', maxInFlight: 1 }];
    stream.write(
      WorkRequest.fromPartial({ message: { $case: 'open', value: { worker, subscriptions } } }),
    );
    await answers.waitFor(1);
    gateway.kill('SIGTERM');
    const lines = gateway.lines;
    while (!lines.items.some((line) => line.includes('"gateway.draining"'))) {
      await lines.waitFor(lines.items.length + 1);
    }
    gateway.kill('SIGTERM');
    expect(await gateway.exit.wait()).toEqual({ code: 1, signal: null });
  });
});
