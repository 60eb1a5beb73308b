import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A folder with so many small files, some of them in folders below, and a link; it goes with the test. */
export function sampleFolder(files: number): string {
  const folder = mkdtempSync(join(tmpdir(), 'echomq-demo-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, 'below'));
  for (let i = 0; i < files; i += 1) {
    writeFileSync(join(folder, i % 2 ? 'below' : '.', `file-${i}`), `line ${i}\n`.repeat(i));
  }
  symlinkSync('file-0', join(folder, 'link'));
  return folder;
}
