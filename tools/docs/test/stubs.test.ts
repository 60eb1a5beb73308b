import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { skipNote, toolchain } from '@echomq/languages';
import { describe, expect, it, onTestFinished } from 'vitest';
import { blockIn, ROOT } from '../src/index.js';

const PAGE = 'docs/protocol.md';
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const python = toolchain('python');

// Those of the other languages are made by tools/languages/test/stubs.test.ts.
describe('the stubs of docs/protocol.md', () => {
  it.skipIf('missing' in python)(
    `of Python${skipNote(python)}`,
    async () => {
      if ('missing' in python) return;
      const { text } = blockIn(PAGE, { language: 'sh', has: 'pip install' });
      const [install = '', ...make] = text.split('\n');
      for (const name of install.split(' ').slice(2)) {
        expect(read('packages/worker-python/requirements.txt')).toContain(`${name}==`);
      }
      const folder = mkdtempSync(join(tmpdir(), 'echomq-stubs-'));
      onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
      mkdirSync(join(folder, 'gen'));
      const command = make.join('\n').replace(/^python/, `'${python.tool}'`);
      const moved = command.replaceAll('=gen', `=${folder}/gen`);
      await promisify(execFile)('bash', ['-euc', moved], { cwd: ROOT });
      expect(existsSync(join(folder, 'gen/echomq/v1/worker_service_pb2_grpc.py'))).toBe(true);
      expect(existsSync(join(folder, 'gen/google/rpc/status_pb2.pyi'))).toBe(true);
    },
    60_000,
  );
});

it.each(['go', 'python'])('the script that packages/worker-%s/README.md names is there', (name) => {
  const page = `packages/worker-${name}/README.md`;
  const { text } = blockIn(page, { language: 'sh', has: 'generate.sh' });
  const [, script = ''] = /^sh (\S+)$/.exec(text.trim()) ?? [];
  expect(existsSync(join(ROOT, script))).toBe(true);
  // `pnpm generate` and `check:generated` run it.
  expect(read(`packages/worker-${name}/package.json`)).toMatch(/"generate": "sh .*generate\.sh"/);
});
