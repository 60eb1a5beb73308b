import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  JAVA_PATH,
  javaWorker,
  LANGUAGES,
  type Language,
  RUST_ENV,
  rust,
  skipNote,
  toolchain,
} from '@echomq/languages';
import { connect, Queue } from '@echomq/sdk';
import { useRedis } from '@echomq/testkit';
import { expect, it, onTestFinished } from 'vitest';
import { blockIn, ROOT } from '../src/index.js';
import { openGateway } from './open-gateway.js';

const redis = useRedis();

/** Starts a worker that a README shows, in a folder of its own and as the leader of a group. */
type Start = (text: string, folder: string, tool: string) => ChildProcess;

const HELPERS: Readonly<Record<Language, Start>> = {
  python: (text, _folder, tool) =>
    spawn(tool, ['-c', text], {
      env: { ...process.env, PYTHONPATH: join(ROOT, 'packages/worker-python/src') },
      detached: true,
    }),
  go: (text, folder, tool) => {
    const sample = join(ROOT, 'apps/sample-worker-go');
    const module = readFileSync(join(sample, 'go.mod'), 'utf8');
    const helper = join(ROOT, 'packages/worker-go');
    writeFileSync(join(folder, 'go.mod'), module.replace('../../packages/worker-go', helper));
    cpSync(join(sample, 'go.sum'), join(folder, 'go.sum'));
    writeFileSync(join(folder, 'main.go'), text);
    return spawn(tool, ['run', '-mod=mod', '.'], { cwd: folder, detached: true });
  },
  java: (text, folder) => {
    writeFileSync(join(folder, 'Total.java'), text);
    return spawn('java', ['-cp', JAVA_PATH, join(folder, 'Total.java')], { detached: true });
  },
  rust: (text, folder, tool) => {
    const sample = readFileSync(join(ROOT, 'apps/sample-worker-rust/Cargo.toml'), 'utf8');
    const manifest = sample
      .replace('name = "sample-worker"', 'name = "total"')
      .replace('../../packages', join(ROOT, 'packages'));
    writeFileSync(join(folder, 'Cargo.toml'), manifest);
    cpSync(join(ROOT, 'Cargo.lock'), join(folder, 'Cargo.lock'));
    mkdirSync(join(folder, 'src'));
    writeFileSync(join(folder, 'src/main.rs'), text);
    const env = { ...process.env, ...RUST_ENV };
    return spawn(tool, ['run', '--release', '--quiet'], { cwd: folder, env, detached: true });
  },
};

// What they stand on is built before the time of a test begins; languages without tools have nothing to build.
javaWorker();
rust('sample-worker');

for (const language of LANGUAGES) {
  const chain = toolchain(language);
  const name = `the worker of packages/worker-${language}/README.md works${skipNote(chain)}`;
  it.skipIf('missing' in chain)(name, { timeout: 300_000 }, async () => {
    if ('missing' in chain) return;
    const { address } = await openGateway(redis.url);
    const connection = connect({ address });
    onTestFinished(() => connection.close());
    const folder = mkdtempSync(join(tmpdir(), 'echomq-helper-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const { text } = blockIn(`packages/worker-${language}/README.md`, { language, has: 'orders' });
    const placed = text.replace('127.0.0.1:50051', address);
    const worker = HELPERS[language](placed, folder, chain.tool);
    const ended = once(worker, 'exit');
    try {
      const job = await new Queue('orders', { connection }).add('total', { items: [2, 3] });
      expect(await job.waitUntilFinished(undefined, 240_000)).toBe(5);
    } finally {
      // `go run` does not hand signals on: the whole group gets it.
      process.kill(-(worker.pid ?? 0), 'SIGTERM');
      await ended;
    }
  });
}
