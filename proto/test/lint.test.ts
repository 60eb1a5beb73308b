import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { buf, PROTO_DIR } from './buf.js';

const folders: string[] = [];
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true });
});

const LINTED = 100;

const SOUND = `syntax = "proto3";

package echomq.v1;

// Asks.
message PingRequest {
  // Who asks.
  string name = 1;
}

// Answers.
message PingResponse {}

// How it went.
enum Mood {
  // Not stated.
  MOOD_UNSPECIFIED = 0;
}

// Answers pings.
service PingService {
  // Answers.
  rpc Ping(PingRequest) returns (PingResponse);
}
`;

/** Lints a module that has our configuration and this one file. */
async function lint(source: string) {
  const folder = await mkdtemp(join(tmpdir(), 'echomq-proto-lint-'));
  folders.push(folder);
  await mkdir(join(folder, 'echomq/v1'), { recursive: true });
  await copyFile(join(PROTO_DIR, 'buf.yaml'), join(folder, 'buf.yaml'));
  await writeFile(join(folder, 'echomq/v1/planted.proto'), source);
  return buf(['lint', '--error-format', 'config-ignore-yaml'], folder);
}

test('the contract lints', () => {
  expect(buf(['lint'])).toMatchObject({ code: 0, text: '' });
});

test('the contract is formatted', () => {
  const run = buf(['format', '--diff', '--exit-code', '--exclude-path', 'google']);
  expect(run).toMatchObject({ code: 0, text: '' });
});

test('a sound file lints', async () => {
  expect(await lint(SOUND)).toMatchObject({ code: 0, text: '' });
});

test.each([
  ['COMMENT_FIELD', '  // Who asks.\n', ''],
  ['COMMENT_RPC', '  // Answers.\n', ''],
  ['COMMENT_SERVICE', '// Answers pings.\n', ''],
  ['ENUM_ZERO_VALUE_SUFFIX', 'MOOD_UNSPECIFIED', 'MOOD_GOOD'],
  ['ENUM_VALUE_PREFIX', 'MOOD_UNSPECIFIED', 'UNSPECIFIED'],
  ['FIELD_LOWER_SNAKE_CASE', 'string name', 'string fullName'],
  ['PACKAGE_DIRECTORY_MATCH', 'package echomq.v1', 'package echomq.v2'],
  ['RPC_REQUEST_RESPONSE_UNIQUE', 'returns (PingResponse)', 'returns (PingRequest)'],
  ['SERVICE_SUFFIX', 'service PingService', 'service Ping'],
])('a planted violation of %s is refused', async (rule, sound, planted) => {
  const source = SOUND.replace(sound, planted);
  expect(source).not.toBe(SOUND);
  const run = await lint(source);
  expect(run.code).toBe(LINTED);
  expect(run.text).toContain(rule);
});
