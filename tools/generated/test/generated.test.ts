import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { run } from '../src/main.js';
import { copyTree } from '../src/tree.js';

const REPOSITORY = fileURLToPath(new URL('../../../', import.meta.url));

const roots: string[] = [];
afterEach(() => {
  for (const root of roots.splice(0)) rmSync(root, { recursive: true });
});

function folder(): string {
  const root = mkdtempSync(join(tmpdir(), 'echomq-generated-test-'));
  roots.push(root);
  return root;
}

function write(root: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}

/** A repository whose one generator empties gen/ and writes the words of words.txt into it, a file each. */
function words(text: string): string {
  const root = folder();
  write(root, {
    'package.json': '{ "scripts": { "generate": "false" } }',
    'words/package.json': '{ "scripts": { "generate": "node generate.cjs" } }',
    'words/words.txt': text,
    'words/generate.cjs': `
      const fs = require('node:fs');
      const words = fs.readFileSync('words.txt', 'utf8').trim().split(' ');
      if (words.includes('broken')) { console.log('I cannot'); process.exit(3); }
      fs.rmSync('gen', { recursive: true, force: true });
      fs.mkdirSync('gen');
      for (const word of words) fs.writeFileSync('gen/' + word, word);
    `,
  });
  return root;
}

function check(root: string): { code: number; lines: string[] } {
  const lines: string[] = [];
  return { code: run(root, (line) => lines.push(line)), lines };
}

test('what a fresh run makes is left alone', () => {
  const root = words('one two');
  write(root, { 'words/gen/one': 'one', 'words/gen/two': 'two' });
  expect(check(root)).toEqual({ code: 0, lines: ['generated: words are what a fresh run makes'] });
});

test('a planted change, a missing file and a stale one are told, and nothing is written', () => {
  const root = words('one two');
  write(root, { 'words/gen/one': 'changed by hand', 'words/gen/three': 'three' });
  expect(check(root)).toEqual({
    code: 1,
    lines: [
      'words/gen/one differs: run pnpm generate',
      'words/gen/three is generated no longer: run pnpm generate',
      'words/gen/two is missing: run pnpm generate',
    ],
  });
  expect(readFileSync(join(root, 'words/gen/one'), 'utf8')).toBe('changed by hand');
  expect(existsSync(join(root, 'words/gen/two'))).toBe(false);
});

test('a generator that fails is named, with what it says', () => {
  expect(check(words('broken'))).toEqual({
    code: 1,
    lines: ['words: node generate.cjs failed', 'I cannot'],
  });
});

test('a generator that leaves something out for want of a tool is heard', () => {
  const root = folder();
  write(root, {
    'stubs/package.json': '{ "scripts": { "generate": "echo stubs skipped: no tool" } }',
  });
  expect(check(root)).toEqual({
    code: 0,
    lines: ['stubs skipped: no tool', 'generated: stubs are what a fresh run makes'],
  });
});

/** Committed stubs of a language, where its tools are here to make them anew. */
function stubs(language: string, path: string): readonly string[] {
  const script = join(REPOSITORY, 'tools/languages/bin', `${language}.sh`);
  return spawnSync('sh', [script]).status === 0 ? [path] : [];
}

// It compiles proto and Lua, and makes stubs: seconds on a quiet machine.
test('a change planted into each real generator is found', { timeout: 240_000 }, () => {
  const root = folder();
  copyTree(REPOSITORY, root);
  const planted = [
    'docs/errors.md',
    'docs/transitions.md',
    'lua/dist/pause-3.lua',
    'lua/gen/scripts.ts',
    'proto/gen/descriptor-set.ts',
    'proto/gen/echomq/v1/worker.ts',
    ...stubs('python', 'packages/worker-python/src/echomq/v1/worker_pb2.pyi'),
    ...stubs('go', 'packages/worker-go/gen/echomq/v1/worker_stream.pb.go'),
  ];
  for (const path of planted) {
    writeFileSync(join(root, path), `${readFileSync(join(root, path), 'utf8')}\n// by hand\n`);
  }
  const { code, lines } = check(root);
  expect(code).toBe(1);
  expect(lines).toEqual(
    expect.arrayContaining(planted.map((path) => `${path} differs: run pnpm generate`)),
  );
});
