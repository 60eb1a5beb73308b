import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { checkBreaking } from '../breaking.mjs';
import { PROTO_DIR } from './buf.js';

const roots: string[] = [];
afterEach(() => {
  for (const root of roots.splice(0)) rmSync(root, { recursive: true });
});

function git(root: string, ...args: readonly string[]): void {
  const who = ['-c', 'user.name=test', '-c', 'user.email=test@example.com'];
  execFileSync('git', [...who, ...args], { cwd: root, stdio: 'ignore' });
}

/** A repository with the contract as it is, committed. */
function repository(): string {
  const root = mkdtempSync(join(tmpdir(), 'echomq-breaking-'));
  roots.push(root);
  mkdirSync(join(root, 'proto'));
  for (const name of ['buf.yaml', 'echomq', 'google']) {
    cpSync(join(PROTO_DIR, name), join(root, 'proto', name), { recursive: true });
  }
  git(root, 'init');
  git(root, 'add', '.');
  git(root, 'commit', '-m', 'the contract');
  return root;
}

function edit(root: string, from: string, to: string): void {
  const path = join(root, 'proto/echomq/v1/job.proto');
  const text = readFileSync(path, 'utf8');
  expect(text).toContain(from);
  writeFileSync(path, text.replace(from, to));
}

function check(root: string): { code: number; text: string } {
  const lines: string[] = [];
  return { code: checkBreaking(root, (line) => lines.push(line)), text: lines.join('\n') };
}

test('before the first release it is skipped by name', () => {
  const root = repository();
  git(root, 'tag', 'not-a-release');
  expect(check(root)).toEqual({
    code: 0,
    text: 'buf breaking: skipped, there is no release tag yet',
  });
});

test('what is added since the last release breaks nothing', () => {
  const root = repository();
  git(root, 'tag', 'v0.9.0');
  git(root, 'tag', 'v0.10.0');
  edit(root, 'message JobRef {', 'message JobRef {\n  // More.\n  string more = 99;');
  expect(check(root)).toEqual({
    code: 0,
    text: 'buf breaking: nothing that v0.10.0 promised has changed',
  });
});

test('a planted change of a field is refused', () => {
  const root = repository();
  git(root, 'tag', 'v0.9.0');
  edit(root, 'string job_id = 2;', 'bytes job_id = 2;');
  const { code, text } = check(root);
  expect(code).not.toBe(0);
  expect(text).toMatch(/job\.proto.*Field "2".*changed type from "string" to "bytes"/);
});
