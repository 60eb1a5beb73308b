import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Connection, connect, Queue } from '@echomq/sdk';
import { eventually, spawnNode, useRedis } from '@echomq/testkit';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';

const redis = useRedis();
const gatewayMain = join(
  dirname(createRequire(import.meta.url).resolve('@echomq/gateway')),
  'main.js',
);
const workerMain = fileURLToPath(new URL('../build/main.js', import.meta.url));

let address: string;
let connection: Connection;
let queue: Queue;
let count = 0;

/** A gateway for each test, ended with it. */
beforeEach(async () => {
  const args = [`--redis-url=${redis.url}`, '--listen=127.0.0.1:0', '--default-lock-ms=2000'];
  const gateway = await spawnNode(gatewayMain, { args, ready: /listening on/ });
  address = /listening on (\S+)$/.exec(gateway.readyLine)?.[1] ?? '';
  connection = connect({ address });
  onTestFinished(() => connection.close());
  count += 1;
  queue = new Queue(`sample-${count}`, { connection });
});

/** The program, ready to work. */
function startWorker() {
  const args = [`--address=${address}`, `--queue=${queue.name}`, '--concurrency=2', '--name=it'];
  return spawnNode(workerMain, { args, ready: /works on/ });
}

/** The job once it has ended. */
function ended(id: string) {
  return eventually(async () => {
    const job = await queue.getJob(id);
    expect(job?.finishedOn).toBeTypeOf('number');
    return job;
  });
}

describe('the sample worker', () => {
  it('computes checksums of files', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'echomq-sample-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const text = `${'line\n'.repeat(50_000)}the last one without an end`;
    const path = join(folder, 'file.txt');
    writeFileSync(path, text);
    await startWorker();
    const { id } = await queue.add('checksum', { path });
    expect((await ended(id))?.returnvalue).toEqual({
      bytes: text.length,
      lines: 50_000,
      sha256: createHash('sha256').update(text).digest('hex'),
    });
    const missing = await queue.add('checksum', { path: join(folder, 'none') });
    expect((await ended(missing.id))?.failedReason).toContain('ENOENT');
  });

  it('fails as often as it is told, is slow with progress, and fails for good', async () => {
    await startWorker();
    const [flaky, slow, doomed, other] = await queue.addBulk([
      { name: 'flaky', data: { failures: 2 }, opts: { attempts: 3, backoff: 10 } },
      { name: 'slow', data: { ms: 50 } },
      { name: 'doomed', data: {}, opts: { attempts: 3 } },
      { name: 'unheard of', data: {} },
    ]);
    expect(await ended(flaky?.id ?? '')).toMatchObject({
      state: 'completed',
      returnvalue: { attempts: 3 },
      attemptsMade: 3,
      processedBy: 'it',
    });
    expect(await ended(slow?.id ?? '')).toMatchObject({ state: 'completed', progress: 100 });
    expect(await ended(doomed?.id ?? '')).toMatchObject({ state: 'failed', attemptsMade: 1 });
    expect((await ended(other?.id ?? ''))?.failedReason).toBe('no handler for "unheard of"');
  });

  it('ends what it runs when it is told to go, and goes', async () => {
    const worker = await startWorker();
    const { id } = await queue.add('slow', { ms: 500 });
    await eventually(async () => expect(await queue.getJobState(id)).toBe('active'));
    worker.kill('SIGTERM');
    expect(await worker.exit.wait()).toEqual({ code: 0, signal: null });
    expect(await queue.getJob(id)).toMatchObject({ state: 'completed', stalledCount: 0 });
  });
});
