import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { spawnNode, useRedis } from '@echomq/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { gatewayProgram } from '../src/programs.js';
import { ROOT } from '../src/root.js';
import { readmeBlock } from './readme.js';

const redis = useRedis();

/** Runs a program from where this package's dependencies are found, and gives what it wrote. */
async function outputOf(text: string): Promise<readonly string[]> {
  const folder = mkdtempSync(join(ROOT, 'tools/demo/build/readme-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'sample.mts');
  writeFileSync(file, text);
  const program = await spawnNode(file, { nodeArgs: ['--import', 'tsx'], readyLimitMs: 30_000 });
  expect(await program.exit.wait(20_000), program.lines.items.join('\n')).toEqual({
    code: 0,
    signal: null,
  });
  return program.lines.items;
}

describe('the TypeScript of the README', () => {
  it('adds a job, works it and closes, over a gateway', async () => {
    const program = gatewayProgram({ redisUrl: redis.url, prefix: 'readme' }, process.env);
    const { script, args, env, ready } = program;
    const gateway = await spawnNode(script, { args, env, ready, readyLimitMs: 30_000 });
    const address = ready.exec(gateway.readyLine)?.[1] ?? '';
    const sample = readmeBlock('ts', 'connect(').replace('127.0.0.1:50051', address);
    expect(await outputOf(sample)).toEqual(['order 1: 5']);
  }, 90_000);

  it('does the same inside the process', async () => {
    const sample = readmeBlock('ts', 'connect(')
      .replace(/^import .* from '@echomq\/sdk';$/m, "import { Queue, Worker } from '@echomq/sdk';")
      .replace(/^await using connection.*$/m, '');
    const embedded = readmeBlock('ts', 'embedded(').replace('redis://127.0.0.1:6379', redis.url);
    expect(await outputOf(`${embedded}\n${sample}`)).toEqual(['order 1: 5']);
  }, 90_000);
});
