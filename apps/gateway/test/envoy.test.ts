import { execFile, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { makeTlsFiles, useRedis } from '@echomq/testkit';
import { credentials } from '@grpc/grpc-js';
import { describe, expect, it, onTestFinished } from 'vitest';
import { observed } from './observed-workload.js';
import { expectPassage, type Front, freePort } from './through-proxy.js';

const redis = useRedis();
const example = fileURLToPath(new URL('../deploy/proxies/envoy.yaml', import.meta.url));
/** `tools/test/bin/envoy.sh` puts it there. */
const envoy =
  process.env.ECHOMQ_ENVOY ??
  fileURLToPath(new URL('../../../.cache/envoy/envoy', import.meta.url));
const note = existsSync(envoy) ? '' : ' (skipped: run tools/test/bin/envoy.sh)';

/** The example in a folder, with its places moved to this test's. */
async function moved(gateway: string, change = (text: string) => text) {
  const folder = mkdtempSync(join(tmpdir(), 'echomq-envoy-'));
  const tls = await makeTlsFiles();
  onTestFinished(() => {
    rmSync(folder, { recursive: true, force: true });
    tls.remove();
  });
  const [host = '', port = ''] = gateway.split(':');
  const own = await freePort();
  const text = readFileSync(example, 'utf8')
    .replace('/etc/echomq/tls/tls.crt', tls.cert)
    .replace('/etc/echomq/tls/tls.key', tls.key)
    .replace('address: 0.0.0.0, port_value: 8443', `address: 127.0.0.1, port_value: ${own}`)
    .replace('gateways.internal, port_value: 50051', `${host}, port_value: ${port}`);
  const file = join(folder, 'envoy.yaml');
  writeFileSync(file, change(text));
  return { file, own, tls };
}

async function behindEnvoy(gateway: string): Promise<Front> {
  const { file, own, tls } = await moved(gateway);
  // A base of its own: two of one number would share memory.
  const args = ['-c', file, '--use-dynamic-base-id', '--concurrency', '1', '-l', 'error'];
  const child = spawn(envoy, args, { stdio: 'ignore' });
  const ended = new Promise((resolve) => child.on('exit', resolve));
  onTestFinished(async () => {
    child.kill('SIGTERM');
    await ended;
  });
  return { address: `localhost:${own}`, secure: credentials.createSsl(Buffer.from(tls.caText)) };
}

/** What Envoy says of a configuration without serving it. */
const validated = async (file: string) =>
  promisify(execFile)(envoy, ['--mode', 'validate', '-c', file]).then(
    ({ stdout, stderr }) => stdout + stderr,
    ({ stdout, stderr }: { stdout: string; stderr: string }) => stdout + stderr,
  );

describe.skipIf(note !== '')(`Envoy, as the example has it${note}`, () => {
  it('calls and streams pass', async () => {
    const at = await observed(redis);
    onTestFinished(() => at.close());
    await expectPassage(await behindEnvoy(at.gateway.address));
  });

  it('takes the example, and would say so of what is misspelt', async () => {
    const right = await moved('127.0.0.1:50051');
    expect(await validated(right.file)).toMatch(/envoy\.yaml' OK/);
    const wrong = await moved('127.0.0.1:50051', (text) =>
      text.replace('stream_idle_timeout', 'stream_idle_time'),
    );
    expect(await validated(wrong.file)).toContain('stream_idle_time');
  });
});
