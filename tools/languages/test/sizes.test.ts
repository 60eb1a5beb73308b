import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from '../src/index.js';

const LIMIT = 200;

/** Where a sample's source is, how its files end, and which of them are the sample: its handlers and its flags. */
const SAMPLES = {
  'apps/sample-worker/src': ['.ts', ['handlers.ts', 'main.ts']],
  'apps/sample-worker-python': ['.py', ['handlers.py', 'worker.py']],
  'apps/sample-worker-go': ['.go', ['handlers.go', 'main.go']],
  'apps/sample-worker-java/src/main/java/echomq/sample': ['.java', ['Handlers.java', 'Main.java']],
  'apps/sample-worker-rust/src': ['.rs', ['handlers.rs', 'main.rs']],
} as const;

function linesOf(folder: string, end: string): ReadonlyMap<string, number> {
  const files = readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' });
  return new Map(
    files
      .filter((file) => file.endsWith(end))
      .map((file) => [file, readFileSync(join(ROOT, folder, file), 'utf8').split('\n').length - 1]),
  );
}

it.each(Object.entries(SAMPLES))(
  `%s: the sample has less than ${LIMIT} lines, and so has each file of the protocol beside it`,
  (folder, [end, sample]) => {
    const lines = linesOf(folder, end);
    expect(sample.reduce((sum, file) => sum + (lines.get(file) ?? LIMIT), 0)).toBeLessThan(LIMIT);
    expect([...lines].filter(([, count]) => count >= LIMIT)).toEqual([]);
  },
);
