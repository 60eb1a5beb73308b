import { execFileSync } from 'node:child_process';
import { mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { useRedis } from '@echomq/testkit';
import { expect, it } from 'vitest';
import { builtRelease, lastRelease, removedWithTheTest } from './last-release.js';
import { sideBySide } from './side-by-side.js';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const redis = useRedis();
const JOBS = process.env.ECHOMQ_SOAK === 'long' ? 20_000 : 2_000;

it('a tag of a release is found, built from its commit and run beside ours', {
  timeout: 1_800_000,
}, async () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'echomq-tagged-')));
  removedWithTheTest(folder);
  execFileSync('git', ['clone', '--quiet', '--shared', '--no-tags', root, folder]);
  const who = ['-c', 'user.name=test', '-c', 'user.email=test@example.com'];
  const git = (...args: readonly string[]) =>
    execFileSync('git', [...who, ...args], { cwd: folder });
  git('tag', 'v0.0.1');
  git('commit', '--quiet', '--allow-empty', '-m', 'a change since');
  const tag = lastRelease(folder);
  expect(tag).toBe('v0.0.1');
  const theirs = { name: 'last', root: await builtRelease(folder, tag ?? '') };
  await sideBySide({
    redis,
    houses: [{ name: 'ours', root }, theirs],
    jobs: JOBS,
    limitMs: 600_000,
  });
});
