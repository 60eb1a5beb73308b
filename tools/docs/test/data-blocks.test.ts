import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { loadConfig } from '@echomq/gateway';
import { spawnNode, useRedis } from '@echomq/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { allBlocks, blockIn, ROOT, useOf } from '../src/index.js';

const redis = useRedis();
const GATEWAY = join(dirname(createRequire(import.meta.url).resolve('@echomq/gateway')), 'main.js');

/** Blocks of a use, and where it is the general one of a language. */
const blocks = (kind: string, language?: string) =>
  allBlocks()
    .filter(
      (block) => useOf(block).kind === kind && (language ?? block.language) === block.language,
    )
    .map((block) => [`${block.page}:${block.line}`, block.text] as const);

describe('settings of the gateway in', () => {
  it.each(blocks('settings'))('%s are ones that it takes', (_place, text) => {
    const from = {
      env: { ECHOMQ_ACCESS_FILE: 'access.yaml', ECHOMQ_CONFIG: 'gateway.yaml' },
      readText: () => text,
    };
    expect(loadConfig(from).kind).toBe('run');
  });
});

describe('the access file in', () => {
  it.each(blocks('access'))('%s is one that it takes', { timeout: 30_000 }, async (_at, text) => {
    const folder = mkdtempSync(join(tmpdir(), 'echomq-access-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    writeFileSync(join(folder, 'access.yaml'), text);
    const args = [`--access-file=${folder}/access.yaml`, `--redis-url=${redis.url}`];
    const gateway = await spawnNode(GATEWAY, {
      args: [...args, '--namespaces=shop=shop', '--listen=127.0.0.1:0'],
      ready: /listening on/,
      readyLimitMs: 20_000,
    });
    expect(gateway.readyLine).toContain('listening on');
  });
});

it('JSON that stands on a page can be read', () => {
  for (const [place, text] of blocks('run', 'json')) {
    expect(() => JSON.parse(text), place).not.toThrow();
  }
});

describe('a diagram in', () => {
  const scripts = readdirSync(join(ROOT, 'lua/transitions')).map((name) => name.split('-')[0]);

  it.each(blocks('run', 'mermaid'))('%s has arrows by scripts that are there', (_at, text) => {
    const [head, ...lines] = text.trimEnd().split('\n');
    expect(head).toBe('stateDiagram-v2');
    const named = lines.flatMap((line) => {
      const [, label] = /^ {2}(?:\[\*\]|\w+) --> (?:\[\*\]|\w+)(?:: (.+))?$/.exec(line) ?? [];
      if (label === undefined) expect(line).toMatch(/^ {2}\w+: [\w-]+$/);
      return (label ?? '').match(/\b[a-z]+[A-Z]\w+/g) ?? [];
    });
    expect(new Set(named).size).toBeGreaterThan(3);
    expect(named.filter((name) => !scripts.includes(name))).toEqual([]);
  });
});

it('the tree of docs/architecture.md is there', () => {
  const { text } = blockIn('docs/architecture.md', { language: '', has: 'packages/' });
  const above: string[] = [];
  const missing = text.split('\n').flatMap((line) => {
    const [, indent = '', name] = /^( *)((?:[\w.-]+\/)+|[\w.-]+\.mjs)(?: |$)/.exec(line) ?? [];
    if (name === undefined || indent.length > 6) return [];
    above.length = indent.length / 2;
    // `src/` stands before the folder, two levels in one line.
    while (above.length > 0 && above.at(-1) === undefined) above.pop();
    const path = [...above.filter(Boolean), name].join('');
    above[indent.length / 2] = name;
    return existsSync(join(ROOT, path)) ? [] : [path];
  });
  expect(missing).toEqual([]);
});

it.each(['docs/protocol.md', 'docs/conformance.md'])(
  '%s has the suite called as it can be',
  (page) => {
    const { text } = blockIn(page, { language: '', has: '@echomq/conformance' });
    const { scripts } = JSON.parse(
      readFileSync(join(ROOT, 'tools/conformance/package.json'), 'utf8'),
    );
    expect(scripts).toHaveProperty('start');
    const main = readFileSync(join(ROOT, 'tools/conformance/src/main.ts'), 'utf8');
    for (const [flag] of text.matchAll(/(?<= )--(?:worker|json)\b/g)) expect(main).toContain(flag);
  },
);
