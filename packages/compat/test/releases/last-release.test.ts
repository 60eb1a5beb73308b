import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { useRedis } from '@echomq/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { builtRelease, lastRelease } from './last-release.js';
import { sideBySide } from './side-by-side.js';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const redis = useRedis();
const OURS = { name: 'ours', root };

describe('lastRelease', () => {
  it('is the highest tag of a release before what is checked out, and none before the second one', () => {
    const folder = mkdtempSync(join(tmpdir(), 'echomq-tags-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const who = ['-c', 'user.name=test', '-c', 'user.email=test@example.com'];
    const git = (...args: readonly string[]) =>
      execFileSync('git', [...who, ...args], { cwd: folder, stdio: 'ignore' });
    const commit = () => git('commit', '--allow-empty', '-m', 'a change');
    git('init');
    commit();
    git('tag', 'not-a-release');
    git('tag', 'v1.0.0-rc.1');
    expect(lastRelease(folder)).toBeUndefined();
    git('tag', 'v0.9.0');
    expect(lastRelease(folder)).toBeUndefined();
    commit();
    expect(lastRelease(folder)).toBe('v0.9.0');
    git('tag', 'v0.10.0');
    expect(lastRelease(folder)).toBe('v0.9.0');
    commit();
    expect(lastRelease(folder)).toBe('v0.10.0');
    // A release of another branch is none of this one's.
    git('checkout', '-b', 'older', 'v0.9.0');
    commit();
    expect(lastRelease(folder)).toBe('v0.9.0');
  });
});

it(
  'two gateways and both SDKs at each of them share a queue: each job is added, run and completed once',
  () =>
    sideBySide({
      redis,
      houses: [OURS, { name: 'twin', root }],
      jobs: 400,
      limitMs: 60_000,
    }),
  120_000,
);

const tag = lastRelease(root);
const why = tag === undefined ? 'there is no release before this commit' : 'CI runs it';

it.skipIf(tag === undefined || !process.env.CI)(
  tag !== undefined && process.env.CI
    ? `the gateway and SDK of ${tag} beside ours: 20,000 jobs, the books are right`
    : `the gateway and SDK of the last release beside ours: skipped, ${why}`,
  { timeout: 1_800_000 },
  async () => {
    const theirs = { name: 'last', root: await builtRelease(root, tag ?? '') };
    await sideBySide({ redis, houses: [OURS, theirs], jobs: 20_000, limitMs: 600_000 });
  },
);
