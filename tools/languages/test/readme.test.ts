import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { connect, Queue } from '@echomq/sdk';
import { useRedis } from '@echomq/testkit';
import { expect, it, onTestFinished } from 'vitest';
import {
  inFull,
  LANGUAGES,
  type Language,
  ROOT,
  RUST_ENV,
  skipNote,
  toolchain,
} from '../src/index.js';
import { startGateway } from './gateway.js';
import { codeBlocks } from './pages.js';

const redis = useRedis();
const run = promisify(execFile);

/** Apps whose README says how they are started from an empty folder. */
const APPS: Readonly<Record<Language, string>> = {
  python: 'apps/sample-worker-python',
  go: 'apps/sample-worker-go',
  java: 'apps/sample-worker-java',
  rust: 'apps/sample-worker-rust',
};

for (const language of LANGUAGES) {
  const app = APPS[language];
  const chain = inFull(toolchain(language));
  const name = `the commands of ${app}/README.md, from an empty folder${skipNote(chain)}`;
  it.skipIf('missing' in chain)(name, { timeout: 400_000 }, async (context) => {
    const address = await startGateway(redis.url);
    const connection = connect({ address });
    onTestFinished(() => connection.close());
    const queue = new Queue(`readme-${language}`, { connection });
    const folder = mkdtempSync(join(tmpdir(), 'echomq-readme-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    // cargo compiles what the worker stands on once, for all tests.
    const env = { ...process.env, ...RUST_ENV, ECHOMQ: ROOT };

    const startedAt = performance.now();
    const [build = '', add = ''] = codeBlocks(`${app}/README.md`, 'sh');
    const lines = build.trim().split('\n');
    const start = lines.pop() ?? '';
    const setUp = run('sh', ['-euc', lines.join('\n')], { cwd: folder, env });
    const failed = await setUp.then(
      () => undefined,
      (error: Error) => error,
    );
    // What cannot be installed here is no fault of the README.
    if (failed && language === 'python') context.skip(`pip cannot install: ${failed.message}`);
    expect(failed).toBeUndefined();

    const command = start.replace('queue demo', `queue ${queue.name} --address ${address}`);
    const worker = spawn('sh', ['-c', `exec ${command}`], { cwd: folder, env });
    onTestFinished(() => void worker.kill('SIGKILL'));
    const said: string[] = [];
    for (const stream of [worker.stdout, worker.stderr]) {
      createInterface({ input: stream }).on('line', (line) => said.push(line));
    }
    const result = await run('sh', ['-euc', add.replace('add demo', `add ${queue.name}`)], {
      env: { ...env, ECHOMQ_ADDRESS: address },
    });
    expect(result.stdout, said.join('\n')).toContain('{"hello":"you"}');
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
    console.log(`${app}: ${seconds} s from an empty folder to the first finished job`);
    const exit = once(worker, 'exit');
    worker.kill('SIGTERM');
    expect(await exit).toEqual([0, null]);
    expect(said.join('\n')).toContain(`works on "${queue.name}"`);
  });
}
