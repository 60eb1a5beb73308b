import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { GENERATED_FOLDERS } from './generate.js';
import { compare } from './problems.js';

/** Paths whose file is missing, other than generated, or generated no longer. */
export function differences(root: string, files: ReadonlyMap<string, string>): readonly string[] {
  const changed = [...files].filter(([path, text]) => readIfThere(join(root, path)) !== text);
  return [...changed.map(([path]) => path), ...stale(root, files)].sort(compare);
}

/** Writes what differs and removes what is stale. Returns the paths it touched. */
export function writeOutput(root: string, files: ReadonlyMap<string, string>): readonly string[] {
  const touched = differences(root, files);
  for (const path of touched) {
    const text = files.get(path);
    if (text === undefined) {
      rmSync(join(root, path));
      continue;
    }
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return touched;
}

function stale(root: string, files: ReadonlyMap<string, string>): string[] {
  return GENERATED_FOLDERS.filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) => readdirSync(join(root, folder)).map((name) => `${folder}/${name}`))
    .filter((path) => /\.(lua|ts)$/.test(path) && !files.has(path));
}

function readIfThere(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}
