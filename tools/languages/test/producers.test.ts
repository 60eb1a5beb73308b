import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { useRedis } from '@echomq/testkit';
import { expect, it, onTestFinished } from 'vitest';
import {
  inFull,
  JAVA_PATH,
  javaWorker,
  ROOT,
  RUST_ENV,
  rust,
  skipNote,
  type Toolchain,
  toolchain,
} from '../src/index.js';
import { startGateway } from './gateway.js';
import { codeBlock } from './pages.js';

const redis = useRedis();
const run = promisify(execFile);
const PAGE = 'docs/producers.md';

// Built before the time of a test begins.
if (!('missing' in inFull({}))) {
  javaWorker();
  rust('sample-worker');
}

/** A producer of the page: how its text is run in a folder of its own. @returns what it printed */
interface Producer {
  readonly block: string;
  readonly chain: Toolchain;
  readonly run: (text: string, folder: string, tool: string) => Promise<string>;
}

const PRODUCERS: Readonly<Record<string, Producer>> = {
  Python: {
    block: 'python',
    chain: inFull(toolchain('python')),
    run: async (text, folder, tool) => {
      writeFileSync(join(folder, 'add.py'), text);
      const env = { ...process.env, PYTHONPATH: join(ROOT, 'packages/worker-python/src') };
      return (await run(tool, [join(folder, 'add.py')], { env })).stdout;
    },
  },
  Go: {
    block: 'go',
    chain: inFull(toolchain('go')),
    run: async (text, folder, tool) => {
      const sample = join(ROOT, 'apps/sample-worker-go');
      const worker = join(ROOT, 'packages/worker-go');
      const module = readFileSync(join(sample, 'go.mod'), 'utf8');
      writeFileSync(join(folder, 'go.mod'), module.replace('../../packages/worker-go', worker));
      cpSync(join(sample, 'go.sum'), join(folder, 'go.sum'));
      writeFileSync(join(folder, 'main.go'), text);
      // Not a module that others need: grpc is direct here, which go.mod need not say.
      return (await run(tool, ['run', '-mod=mod', '.'], { cwd: folder })).stdout;
    },
  },
  Java: {
    block: 'java',
    chain: inFull(toolchain('java')),
    run: async (text, folder) => {
      writeFileSync(join(folder, 'Add.java'), text);
      return (await run('java', ['-cp', JAVA_PATH, join(folder, 'Add.java')])).stdout;
    },
  },
  Rust: {
    block: 'rust',
    chain: inFull(toolchain('rust')),
    run: async (text, folder, tool) => {
      const manifest = (path: string) => readFileSync(join(ROOT, path, 'Cargo.toml'), 'utf8');
      // The library as the sample has it, and the library's own tonic.
      const [tonic = ''] = /^tonic = .*$/m.exec(manifest('packages/worker-rust')) ?? [];
      const placed = manifest('apps/sample-worker-rust')
        .replace('name = "sample-worker"', 'name = "add"')
        .replace('../../packages', join(ROOT, 'packages'));
      writeFileSync(join(folder, 'Cargo.toml'), `${placed}${tonic}\n`);
      cpSync(join(ROOT, 'Cargo.lock'), join(folder, 'Cargo.lock'));
      mkdirSync(join(folder, 'src'));
      writeFileSync(join(folder, 'src/main.rs'), text);
      const env = { ...process.env, ...RUST_ENV };
      return (await run(tool, ['run', '--release', '--quiet'], { cwd: folder, env })).stdout;
    },
  },
  TypeScript: {
    block: 'js',
    chain: { tool: process.execPath },
    run: async (text, _folder, tool) => {
      // Where the workspace's packages are found.
      const file = join(ROOT, 'tools/languages/build', `producer-${process.pid}.mjs`);
      writeFileSync(file, text);
      onTestFinished(() => rmSync(file, { force: true }));
      return (await run(tool, [file])).stdout;
    },
  },
  'buf curl': {
    block: 'sh',
    chain: { tool: 'bash' },
    run: async (text, _folder, tool) => (await run(tool, ['-euc', text], { cwd: ROOT })).stdout,
  },
};

/** What a language wants around a program: blank lines, imports, `main`, and lines of nothing but closing brackets. */
const AROUND = [
  /^[\s)}\]; ,]*$/,
  /^(package|import|from|use) /,
  /^class \w+ {$|^(async )?(func|fn) main\(.*{$|^public static void main\(.*{$|^#\[/,
];

it.each(Object.entries(PRODUCERS))('docs/producers.md asks for ten lines in %s', (_, { block }) => {
  const text = codeBlock(PAGE, block).replace(/^import \([^)]*^\)$/m, '');
  const yours = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => !AROUND.some((around) => around.test(line)));
  expect(yours.length).toBeGreaterThan(2);
  expect(yours.length).toBeLessThanOrEqual(10);
});

for (const [title, producer] of Object.entries(PRODUCERS)) {
  const { chain } = producer;
  const name = `docs/producers.md adds a job in ${title}${skipNote(chain)}`;
  it.skipIf('missing' in chain)(name, { timeout: 300_000 }, async () => {
    if ('missing' in chain) return;
    const address = await startGateway(redis.url);
    await redis.client.flushall();
    const folder = mkdtempSync(join(tmpdir(), 'echomq-producer-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const text = codeBlock(PAGE, producer.block).replaceAll('127.0.0.1:50051', address);
    expect((await producer.run(text, folder, chain.tool)).trim()).toBe('1');
    const [name, data, opts] = await redis.client.hmget('bull:orders:1', 'name', 'data', 'opts');
    expect([name, data]).toEqual(['total', '{"items":[2,3]}']);
    expect(JSON.parse(opts ?? '')).toMatchObject({ attempts: 3 });
  });
}
