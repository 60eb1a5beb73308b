import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { errorsPage, readCommonReasons, readReasons, readRpcs } from '../errors-page.mjs';
import { Code, ERROR_REASON_NAMES, isErrorReasonName } from '../src/messages.js';
import { PROTO_DIR } from './buf.js';

const ROOT = join(PROTO_DIR, '..');
const errors = readFileSync(join(PROTO_DIR, 'echomq/v1/errors.proto'), 'utf8');
const rows = readReasons(errors);
const statusOf = new Map(rows.map(({ reason, status }) => [reason, status] as const));

test('docs/errors.md is what a fresh run makes', () => {
  expect(readFileSync(join(ROOT, 'docs/errors.md'), 'utf8')).toBe(errorsPage());
});

test('the page has every reason of the contract, in its order', () => {
  expect(rows.map(({ reason }) => reason)).toEqual(ERROR_REASON_NAMES);
});

test.each(rows)('$reason has a status, a time and an advice', ({ status, when, advice }) => {
  expect(Object.keys(Code)).toContain(status);
  expect(when).toMatch(/^[A-Z].*\.$/);
  expect(advice).toMatch(/^\S.*\.$/);
});

test('the reasons that any rpc may answer with are known', () => {
  const common = readCommonReasons(errors);
  expect(common.length).toBeGreaterThan(10);
  expect(common.filter((reason) => !isErrorReasonName(reason))).toEqual([]);
});

test('each reason is named by an rpc, or any rpc may answer with it', () => {
  const services = readdirSync(join(PROTO_DIR, 'echomq/v1'))
    .filter((name) => name.endsWith('_service.proto'))
    .map((name) => readFileSync(join(PROTO_DIR, 'echomq/v1', name), 'utf8'));
  const named = new Set([
    ...readCommonReasons(errors),
    ...readRpcs(services).flatMap(({ reasons }) => reasons),
  ]);
  expect(ERROR_REASON_NAMES.filter((reason) => !named.has(reason))).toEqual([]);
});

/** The sources of what serves the contract, by path. */
const sources = ['packages/core/src', 'packages/engine/src', 'apps/gateway/src'].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
    .map((path) => [join(folder, path), readFileSync(join(ROOT, folder, path), 'utf8')] as const),
);

/** Where a status and a reason stand side by side in code: `code: 'X', reason: 'Y'`, or `Y: 'X'` in a table. */
const PAIRS = [
  /code: '(?<code>[A-Z_]+)',\s+reason: '(?<reason>[A-Z_]+)'/g,
  /^ {2}(?<reason>[A-Z_]+): '(?<code>[A-Z_]+)',$/gm,
];

test('the code raises each reason with the status that the page says', () => {
  const pairs = sources.flatMap(([path, text]) =>
    PAIRS.flatMap((pattern) =>
      [...text.matchAll(pattern)].map(({ groups }) => ({ path, ...groups })),
    ),
  ) as { path: string; code: string; reason: string }[];
  const found = pairs.filter(({ reason }) => isErrorReasonName(reason));
  expect(new Set(found.map(({ reason }) => reason)).size).toBeGreaterThan(15);
  expect(found.filter(({ reason, code }) => statusOf.get(reason) !== code)).toEqual([]);
});
