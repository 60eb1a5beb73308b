import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findFiles, hasChanged } from '../src/find-files.js';
import { sampleFolder } from './sample-folder.js';

describe('findFiles', () => {
  it('finds the regular files in the order of their paths, without links, .git and .cache', async () => {
    const folder = sampleFolder(4);
    for (const own of ['.git', '.cache']) {
      mkdirSync(join(folder, own));
      writeFileSync(join(folder, own, 'index'), 'x');
    }
    const found = await findFiles(folder, 10);
    expect(found.files.map(({ path }) => path.slice(folder.length + 1))).toEqual([
      'below/file-1',
      'below/file-3',
      'file-0',
      'file-2',
    ]);
    expect(found.files.map(({ bytes }) => bytes)).toEqual([7, 21, 0, 14]);
    expect(found).toMatchObject({ unreadable: 0, capped: false });
  });

  it('stops at the cap and says so', async () => {
    const found = await findFiles(sampleFolder(4), 3);
    expect(found.files).toHaveLength(3);
    expect(found.capped).toBe(true);
  });

  it('refuses a folder that is not there, and one without a file', async () => {
    const folder = sampleFolder(0);
    await expect(findFiles(join(folder, 'nothing'), 3)).rejects.toThrow('ENOENT');
    await expect(findFiles(join(folder, 'below'), 3)).rejects.toThrow('no readable file');
  });

  it('tells a file that was changed or removed', async () => {
    const folder = sampleFolder(2);
    const { files } = await findFiles(folder, 2);
    const [below, top] = files;
    if (!below || !top) throw new Error('two files were expected');
    expect(await hasChanged(below)).toBe(false);
    writeFileSync(below.path, 'longer than before');
    rmSync(top.path);
    expect(await hasChanged(below)).toBe(true);
    expect(await hasChanged(top)).toBe(true);
  });
});
