import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** What no generator reads and git ignores; folders that begin with a dot belong to tools. */
const SKIPPED = new Set(['build', 'coverage']);

/** The files below a root, and the `node_modules` that stand among them; from the root, with `/`. */
export interface Tree {
  readonly files: readonly string[];
  readonly modules: readonly string[];
}

/** Lists a tree without what is built. */
export function listTree(root: string): Tree {
  const files: string[] = [];
  const modules: string[] = [];
  const visit = (folder: string) => {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.name === 'node_modules') modules.push(path);
      else if (entry.isFile()) files.push(path);
      else if (entry.isDirectory() && !entry.name.startsWith('.') && !SKIPPED.has(entry.name)) {
        visit(path);
      }
    }
  };
  visit('');
  return { files, modules };
}

/** Copies a tree; its `node_modules` become links to the ones that are there. */
export function copyTree(from: string, to: string): void {
  const { files, modules } = listTree(from);
  for (const path of files) {
    mkdirSync(dirname(join(to, path)), { recursive: true });
    cpSync(join(from, path), join(to, path));
  }
  for (const path of modules) {
    mkdirSync(dirname(join(to, path)), { recursive: true });
    symlinkSync(join(from, path), join(to, path));
  }
}

/** What stands in a tree: the bytes of each file by its path. */
export type Snapshot = ReadonlyMap<string, Buffer>;

/** Reads a tree whole. */
export function takeSnapshot(root: string): Snapshot {
  return new Map(listTree(root).files.map((path) => [path, readFileSync(join(root, path))]));
}

/** A file that two snapshots do not have alike. */
export interface Difference {
  readonly path: string;
  readonly kind: 'differs' | 'is missing' | 'is generated no longer';
}

/** How what is committed differs from what a fresh run made of it. In the order of the paths. */
export function compare(committed: Snapshot, fresh: Snapshot): readonly Difference[] {
  const paths = [...new Set([...committed.keys(), ...fresh.keys()])].sort();
  return paths.flatMap((path): Difference[] => {
    const before = committed.get(path);
    const after = fresh.get(path);
    if (before === undefined) return [{ path, kind: 'is missing' }];
    if (after === undefined) return [{ path, kind: 'is generated no longer' }];
    return before.equals(after) ? [] : [{ path, kind: 'differs' }];
  });
}
