// Packs every package that is to be published, and has publint and attw look at what a user would install: entries that
// lead somewhere, types for each of them, nothing that only works in this repository. Then a newcomer installs them and
// starts the gateway by npx, and a release is tried out in a copy. Run with `pnpm check:packages`.
import { rmSync } from 'node:fs';
import { buildFirst } from '../build-first.mjs';
import { emptyFolder, manifestOf, packAll, publishedFolders, ROOT, run } from './published.mjs';
import { tryChangesets } from './try-changesets.mjs';
import { tryNpx } from './try-npx.mjs';

buildFirst();
const { ensureServer, startLocalRedis } = await import('../local-redis/build/index.js');

const folders = publishedFolders();
let failed = 0;

/** Says how a check went. */
async function check(title, work) {
  try {
    await work();
    console.log(title);
  } catch (error) {
    failed += 1;
    console.log(`${title}: FAILED\n${error.stdout ?? ''}${error.stderr ?? ''}${error.message}`);
  }
}

for (const folder of folders) {
  await check(`${folder}: goes out with provenance, a licence and what it runs on`, () => {
    const { publishConfig, license, engines, files, description } = manifestOf(folder);
    if (publishConfig?.provenance !== true || publishConfig.access !== 'public') {
      throw new Error('publishConfig must be { access: public, provenance: true }');
    }
    if (license !== 'MIT' || !engines?.node || !files || !description) {
      throw new Error('license, engines, files or description is missing');
    }
  });
}

const folder = emptyFolder('packages');
try {
  const tarballs = await packAll(folders, folder);
  for (const [name, tarball] of tarballs) {
    await check(`${name}: has its licence in it`, async () => {
      const { stdout } = await run('tar', ['-tzf', tarball]);
      if (!stdout.split('\n').includes('package/LICENSE')) throw new Error('LICENSE is missing');
    });
    await check(`${name}: publint has nothing to say`, () =>
      run('pnpm', ['exec', 'publint', 'run', tarball, '--strict'], { cwd: ROOT }),
    );
    // Modules alone: `require` of them works from Node 20.19 on.
    const profile = ['--profile', 'esm-only', '--format', 'ascii', '--no-emoji'];
    await check(`${name}: attw has nothing to say`, () =>
      run('pnpm', ['exec', 'attw', tarball, ...profile], { cwd: ROOT }),
    );
  }
  await check(
    'npx @echomq/gateway: starts from the tarballs, takes a job and has it done',
    async () => {
      await ensureServer();
      const redis = await startLocalRedis({ persistence: 'none' });
      try {
        await tryNpx(tarballs, redis.url);
      } finally {
        await redis.stop();
      }
    },
  );
  await check('changesets: a release takes all packages to one version', () =>
    tryChangesets(folders),
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}
console.log(`packages: ${folders.length} packed, ${failed} complaints`);
process.exitCode = failed === 0 && folders.length > 0 ? 0 : 1;
