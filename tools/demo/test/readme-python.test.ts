import { execFile, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { inFull, skipNote } from '@echomq/languages';
import { spawnNode, useRedis } from '@echomq/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { gatewayProgram } from '../src/programs.js';
import { ROOT } from '../src/root.js';
import { readmeBlock } from './readme.js';

const redis = useRedis();
const run = promisify(execFile);

const missing = ['venv', 'pip'].find(
  (module) => spawnSync('python3', ['-c', `import ${module}`]).status !== 0,
);
const tools = inFull(
  missing === undefined ? { tool: 'python3' } : { missing: `python3 or its ${missing} is missing` },
);

describe('the Python of the README', () => {
  it.skipIf('missing' in tools)(
    `adds, fetches and finishes a job${skipNote(tools)}`,
    async (context) => {
      const home = mkdtempSync(join(tmpdir(), 'echomq-readme-'));
      onTestFinished(() => rmSync(home, { recursive: true, force: true }));
      const here = (text: string) => text.replaceAll('.echomq', home);

      const [venv = '', pip = '', ...protoc] = here(readmeBlock('sh', 'grpc_tools')).split('\n');
      await run('sh', ['-euc', venv]);
      const installed = await run('sh', ['-euc', pip]).catch((error: Error) => error);
      if (installed instanceof Error) context.skip('pip cannot install grpcio and grpcio-tools');
      await run('sh', ['-euc', protoc.join('\n')], { cwd: ROOT });

      const program = gatewayProgram({ redisUrl: redis.url, prefix: 'readme' }, process.env);
      const { script, args, env, ready } = program;
      const gateway = await spawnNode(script, { args, env, ready, readyLimitMs: 30_000 });
      const address = ready.exec(gateway.readyLine)?.[1] ?? '';

      mkdirSync(join(home, 'app'));
      const sample = join(home, 'app', 'sample.py');
      const text = readmeBlock('python', 'FetchJobs');
      writeFileSync(sample, text.replace('127.0.0.1:50051', address));
      const { stdout } = await run(join(home, 'python/bin/python'), [sample], {
        env: { ...process.env, PYTHONPATH: join(home, 'stubs') },
      });
      expect(stdout).toBe('added 1\nDISPOSITION_COMPLETED 5\n');
      expect(await redis.client.hget('readme:sums:1', 'returnvalue')).toBe('5');
    },
    180_000,
  );
});
