import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, realpathSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { onTestFinished } from 'vitest';

const run = promisify(execFile);
/** Dependencies and build of a whole tree on a slow machine, ms. */
const BUILD_MS = 900_000;
/** All its files are gone by then, ms. */
const REMOVE_MS = 600_000;

/** Removes a tree, however many files it has, once the running test is over. */
export function removedWithTheTest(folder: string): void {
  onTestFinished(() => rm(folder, { recursive: true, force: true }), REMOVE_MS);
}

/**
 * The last release before what is checked out, as a tag (`v1.2.3`); `undefined`: there is none, as before the second
 * release. A tag on the very commit is no release to compare it with.
 */
export function lastRelease(root: string): string | undefined {
  const tags = (...which: readonly string[]) => {
    const args = ['tag', '--list', 'v[0-9]*', '--sort', '-version:refname', ...which];
    return execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\n');
  };
  const here = tags('--points-at', 'HEAD');
  return tags('--merged', 'HEAD').find(
    (tag) => /^v\d+\.\d+\.\d+$/.test(tag) && !here.includes(tag),
  );
}

/**
 * Makes a release anew from its tag, in a folder that is gone with the running test.
 *
 * @returns the folder, built
 * @throws where the release cannot be installed or built
 */
export async function builtRelease(root: string, tag: string): Promise<string> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), `echomq-${tag}-`)));
  removedWithTheTest(folder);
  const tarball = join(folder, 'release.tar');
  await run('git', ['archive', '--format=tar', '-o', tarball, tag], { cwd: root });
  await run('tar', ['-xf', tarball, '-C', folder]);
  for (const args of [
    ['install', '--frozen-lockfile', '--prefer-offline'],
    ['run', 'build'],
  ]) {
    await run('npx', ['-y', 'pnpm@12', ...args], {
      cwd: folder,
      timeout: BUILD_MS,
      maxBuffer: 64 << 20,
      env: { ...process.env, CI: 'true' },
    });
  }
  return folder;
}
