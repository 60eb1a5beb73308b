import { readdirSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';

/** A file that people write, or generated code that takes part in imports. */
export interface SourceFile {
  /** From the root, with `/`. */
  readonly path: string;
  readonly text: string;
}

/** What is in the tree below the root, without what git ignores. */
export interface Tree {
  readonly root: string;
  /** Every folder, from the root, with `/`. */
  readonly folders: readonly string[];
  readonly files: readonly SourceFile[];
}

const SKIPPED = new Set(['node_modules', 'build', 'dist', 'coverage']);
const READ = new Set(['.ts', '.mts', '.cts', '.tsx', '.js', '.mjs', '.cjs', '.lua', '.proto']);

/** Reads the tree. Folders of tools (their names begin with a dot) are left out. */
export function readTree(root: string): Tree {
  const folders: string[] = [];
  const files: SourceFile[] = [];
  const visit = (folder: string) => {
    for (const entry of readdirSync(`${root}/${folder}`, { withFileTypes: true })) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.name.startsWith('.')) continue;
      if (entry.isDirectory() && !SKIPPED.has(entry.name)) {
        folders.push(path);
        visit(path);
      } else if (entry.isFile() && READ.has(extname(entry.name))) {
        files.push({ path, text: readFileSync(`${root}/${path}`, 'utf8') });
      }
    }
  };
  visit('');
  return { root, folders, files };
}

/** Whether a path is a script that imports can stand in. */
export function isScript(path: string): boolean {
  return /\.[mc]?[jt]sx?$/.test(path);
}

/** Whether a path is written by a tool. */
export function isGenerated(path: string): boolean {
  return path.startsWith('proto/gen/') || path.startsWith('lua/gen/');
}
