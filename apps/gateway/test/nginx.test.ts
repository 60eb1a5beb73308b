import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeTlsFiles, useRedis } from '@echomq/testkit';
import { credentials } from '@grpc/grpc-js';
import { it, onTestFinished } from 'vitest';
import { observed } from './observed-workload.js';
import { expectPassage, type Front, freePort } from './through-proxy.js';

const redis = useRedis();
const example = fileURLToPath(new URL('../deploy/proxies/nginx.conf', import.meta.url));
const nginx = '/usr/sbin/nginx';
const note = existsSync(nginx) ? '' : ` (skipped: there is no ${nginx})`;

/** The example, with its places moved to this test's. */
async function behindNginx(gateway: string): Promise<Front> {
  const folder = mkdtempSync(join(tmpdir(), 'echomq-nginx-'));
  const tls = await makeTlsFiles();
  const port = await freePort();
  const text = readFileSync(example, 'utf8')
    .replace('/etc/echomq/tls/tls.crt', tls.cert)
    .replace('/etc/echomq/tls/tls.key', tls.key)
    .replace('listen 8443', `listen 127.0.0.1:${port}`)
    .replace('127.0.0.1:50051', gateway);
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  const file = join(folder, 'nginx.conf');
  const head = `daemon off; pid ${folder}/pid; error_log stderr; master_process off;\n`;
  writeFileSync(file, head + text.replace('http {', `http { access_log off; ${paths.join(' ')}`));
  const child = spawn(nginx, ['-p', folder, '-c', file], { stdio: 'ignore' });
  const ended = new Promise((resolve) => child.on('exit', resolve));
  onTestFinished(async () => {
    child.kill('SIGTERM');
    await ended;
    rmSync(folder, { recursive: true, force: true });
    tls.remove();
  });
  const secure = credentials.createSsl(Buffer.from(tls.caText));
  return { address: `localhost:${port}`, secure };
}

it.skipIf(note !== '')(
  `through nginx, as the example has it: calls and streams pass${note}`,
  async () => {
    const at = await observed(redis);
    onTestFinished(() => at.close());
    await expectPassage(await behindNginx(at.gateway.address));
  },
);
