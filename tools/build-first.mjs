import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The root of the repository. */
export const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

/**
 * The one step that runs before anything is compiled, and therefore in plain JavaScript: builds the
 * workspace, or one package with all that it needs. A command's `bin/NAME.mjs` calls it and then
 * imports its own `build/`. Ends the process when the build fails.
 *
 * @param {string} [name] the package, for example `@echomq/demo`; else every package
 */
export function buildFirst(name) {
  const turbo = join(
    dirname(createRequire(import.meta.url).resolve('turbo/package.json')),
    'bin/turbo',
  );
  const filter = name === undefined ? [] : [`--filter=${name}`];
  const { status } = spawnSync(
    process.execPath,
    [turbo, 'run', 'build', ...filter, '--output-logs=errors-only'],
    {
      cwd: ROOT,
      stdio: ['ignore', 'inherit', 'inherit'],
      env: { ...process.env, DO_NOT_TRACK: '1' },
    },
  );
  if (status !== 0) process.exit(status ?? 1);
}
