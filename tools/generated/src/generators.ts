import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { listTree } from './tree.js';

/** This tree's own: what a copy of it would have to make anew. */
const CACHE = fileURLToPath(new URL('../../../.cache', import.meta.url));

/** A package whose package.json has a `generate` script. */
export interface Generator {
  readonly folder: string;
  readonly script: string;
}

/** Every generator of a repository. The root's own script runs them all and is none. */
export function findGenerators(root: string): readonly Generator[] {
  return listTree(root)
    .files.filter((path) => path.endsWith('/package.json'))
    .flatMap((path) => {
      const manifest = JSON.parse(readFileSync(join(root, path), 'utf8')) as {
        scripts?: Readonly<Record<string, string>>;
      };
      const script = manifest.scripts?.generate;
      return script === undefined ? [] : [{ folder: dirname(path), script }];
    });
}

/** How a generator ended. */
export interface Generated {
  readonly failed: boolean;
  /** What it printed. */
  readonly said: string;
}

/** Runs a generator as pnpm would, under a root that may be a copy. */
export function runGenerator(root: string, { folder, script }: Generator): Generated {
  const bins = [join(root, folder), root].map((place) => join(place, 'node_modules/.bin'));
  const { status, stdout, stderr } = spawnSync(script, {
    cwd: join(root, folder),
    shell: true,
    encoding: 'utf8',
    env: {
      // Toolchains that take a while to set up are kept beside the tree and not in its copy.
      ECHOMQ_CACHE: CACHE,
      ...process.env,
      PATH: [...bins, process.env.PATH].join(delimiter),
    },
  });
  return { failed: status !== 0, said: `${stdout}${stderr}`.trim() };
}
