import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** The root of the repository. */
export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

export const run = promisify(execFile);

/** The package.json of a folder; undefined where there is none, as in a package of another language. */
export function manifestOf(folder) {
  try {
    return JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8'));
  } catch {
    return undefined;
  }
}

/** Folders of the packages that are published: those without `private`, with something to import. */
export function publishedFolders() {
  const folders = ['packages', 'apps'].flatMap((folder) =>
    readdirSync(join(ROOT, folder)).map((name) => join(folder, name)),
  );
  return ['lua', 'proto', ...folders].filter((folder) => {
    const manifest = manifestOf(folder);
    return manifest?.private !== true && manifest?.exports !== undefined;
  });
}

/**
 * Packs packages as pnpm publishes them.
 *
 * @returns the tarballs by the names of their packages
 */
export async function packAll(folders, to) {
  mkdirSync(to, { recursive: true });
  const tarballs = new Map();
  for (const folder of folders) {
    const { stdout } = await run('pnpm', ['pack', '--json', '--pack-destination', to], {
      cwd: join(ROOT, folder),
    });
    tarballs.set(manifestOf(folder).name, JSON.parse(stdout).filename);
  }
  return tarballs;
}

/** An empty folder outside of the repository. */
export function emptyFolder(name) {
  return mkdtempSync(join(tmpdir(), `echomq-${name}-`));
}
