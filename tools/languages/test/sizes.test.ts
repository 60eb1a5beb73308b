import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from '../src/index.js';

const LIMIT = 200;

/** Where a sample's source is, all of it, and how its files end. */
const SAMPLES = {
  'apps/sample-worker': '.ts',
  'apps/sample-worker-python': '.py',
  'apps/sample-worker-go': '.go',
  'apps/sample-worker-java': '.java',
  'apps/sample-worker-rust': '.rs',
} as const;

/** Libraries that are to be read as one reads a sample: file by file. */
const LIBRARIES = {
  'packages/worker-java/src/main': '.java',
  'packages/worker-rust': '.rs',
} as const;

/** What is made or installed, and the tests. */
const NO_SOURCE = /(^|\/)(node_modules|build|target|test|tests)\/|\.config\.ts$/;

function linesOf(folder: string, end: string): readonly { file: string; lines: number }[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith(end) && !NO_SOURCE.test(file))
    .map((file) => ({
      file,
      lines: readFileSync(join(ROOT, folder, file), 'utf8').split('\n').length - 1,
    }));
}

it.each(Object.entries(SAMPLES))(`%s: the whole sample has less than ${LIMIT} lines`, (...of) => {
  const counted = linesOf(...of);
  expect(counted).not.toEqual([]);
  expect(counted.reduce((sum, { lines }) => sum + lines, 0)).toBeLessThan(LIMIT);
});

it.each(Object.entries(LIBRARIES))(`%s: each file has less than ${LIMIT} lines`, (...of) => {
  const counted = linesOf(...of);
  expect(counted.length).toBeGreaterThan(5);
  expect(counted.filter(({ lines }) => lines >= LIMIT)).toEqual([]);
});
