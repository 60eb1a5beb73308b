import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, Queue } from '@echomq/sdk';
import { eventually, useRedis } from '@echomq/testkit';
import { expect, it, onTestFinished } from 'vitest';
import { ROOT, SAMPLE_WORKERS } from '../src/index.js';
import { startGateway } from './gateway.js';

const redis = useRedis();

for (const { title, language, find } of Object.values(SAMPLE_WORKERS)) {
  // Built before the time of a test begins.
  const worker = find();
  const note = 'missing' in worker ? ` (skipped: ${worker.missing})` : '';
  it.skipIf(note !== '')(
    `the ${title} works a job and ends on SIGTERM${note}`,
    {
      timeout: 60_000,
    },
    async () => {
      if ('missing' in worker) return;
      const address = await startGateway(redis.url);
      const connection = connect({ address });
      onTestFinished(() => connection.close());
      const queue = new Queue(`smoke-${language}`, { connection });
      const { id } = await queue.add('echo', { hello: language });
      const args = [...worker.args, '--queue', queue.name, '--address', address];
      const env = { ...process.env, ...worker.env };
      const running = spawn(worker.binary, args, { cwd: ROOT, env, stdio: 'ignore' });
      onTestFinished(() => void running.kill('SIGKILL'));
      await eventually(async () => {
        expect((await queue.getJob(id))?.returnvalue).toEqual({ hello: language });
      }, 30_000);
      const exit = once(running, 'exit');
      running.kill('SIGTERM');
      expect(await exit).toEqual([0, null]);
    },
  );
}
