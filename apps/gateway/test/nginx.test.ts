import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  AddJobRequest,
  type AddJobResponse,
  WorkRequest,
  type WorkResponse,
} from '@echomq/proto/messages';
import { ProducerServiceClient, WorkerServiceClient } from '@echomq/proto/services';
import { eventually, makeTlsFiles, signal, useRedis } from '@echomq/testkit';
import { credentials, Metadata } from '@grpc/grpc-js';
import { describe, expect, it, onTestFinished } from 'vitest';
import { unary } from './call.js';
import { observed } from './observed-workload.js';

const redis = useRedis();
const example = fileURLToPath(new URL('../deploy/proxies/nginx.conf', import.meta.url));
const nginx = '/usr/sbin/nginx';

/** A port that was free a moment ago. */
const freePort = () =>
  new Promise<number>((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' ? (address?.port ?? 0) : 0));
    });
  });

/** The example, with its places moved to this test's. */
async function behindNginx(gateway: string) {
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

describe.runIf(existsSync(nginx))('behind nginx, as the example has it', () => {
  it('calls and streams pass, with the id of the request', async () => {
    const at = await observed(redis);
    onTestFinished(() => at.close());
    const { address, secure } = await behindNginx(at.gateway.address);
    const producer = new ProducerServiceClient(address, secure);
    const worker = new WorkerServiceClient(address, secure);
    onTestFinished(() => {
      producer.close();
      worker.close();
    });
    const metadata = new Metadata();
    metadata.set('x-request-id', 'through-nginx');
    const ids = signal<unknown>('the id');
    await eventually(() =>
      unary<AddJobResponse>((done) => {
        const request = AddJobRequest.fromPartial({ queue: 'proxied', name: 'n' });
        const call = producer.addJob(request, metadata, done);
        call.on('metadata', (headers) => ids.resolve(headers.get('x-request-id')[0]));
        return call;
      }),
    );
    expect(await ids.wait()).toBe('through-nginx');
    const stream = worker.work();
    const delivered = signal('a delivery');
    stream.on('error', () => undefined);
    stream.on('data', ({ message }: WorkResponse) => {
      if (message?.$case === 'delivery') delivered.resolve();
    });
    const info = { workerId: 'w', name: 'w', sessionId: 's' };
    const value = { worker: info, subscriptions: [{ queue: 'proxied', maxInFlight: 1 }] };
    stream.write(WorkRequest.fromPartial({ message: { $case: 'open', value } }));
    await delivered.wait();
    stream.cancel();
  });
});
