import { constants } from 'node:fs';
import { access, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** A file as it was when it was found. */
export interface FoundFile {
  /** Absolute. */
  readonly path: string;
  readonly bytes: number;
  /** Time of its last change, ms since the epoch. */
  readonly changedAt: number;
}

/** What was found in a folder. */
export interface Found {
  readonly files: readonly FoundFile[];
  /** Files that may not be read and got no job. */
  readonly unreadable: number;
  /** There are more than were asked for. */
  readonly capped: boolean;
}

/** Git and build tools rewrite their own files at any time: a checksum of one says nothing. */
const SKIPPED = new Set(['.git', '.cache']);

/**
 * The regular files below a folder in the order of their paths, links not followed, `.git` and `.cache` left out.
 *
 * @throws Error when the folder cannot be read, or there is no file in it
 */
export async function findFiles(folder: string, maxFiles: number): Promise<Found> {
  const files: FoundFile[] = [];
  let unreadable = 0;
  let capped = false;
  for await (const path of walk(folder)) {
    if (files.length === maxFiles) {
      capped = true;
      break;
    }
    const facts = await readable(path);
    if (facts) files.push(facts);
    else unreadable += 1;
  }
  if (files.length === 0) throw new Error(`there is no readable file in ${folder}`);
  return { files, unreadable, capped };
}

/** Whether a file has changed since it was found, or has gone. */
export async function hasChanged(file: FoundFile): Promise<boolean> {
  const now = await stat(file.path).catch(() => undefined);
  return now?.size !== file.bytes || now.mtimeMs !== file.changedAt;
}

async function* walk(folder: string): AsyncGenerator<string> {
  const entries = await readdir(folder, { withFileTypes: true });
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isFile()) yield path;
    else if (entry.isDirectory() && !SKIPPED.has(entry.name)) yield* walkInside(path);
  }
}

/** A folder below the first one that may not be read, or has gone meanwhile, is passed over. */
async function* walkInside(folder: string): AsyncGenerator<string> {
  try {
    yield* walk(folder);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EACCES' && code !== 'EPERM' && code !== 'ENOENT') throw error;
  }
}

async function readable(path: string): Promise<FoundFile | undefined> {
  try {
    await access(path, constants.R_OK);
    const { size, mtimeMs } = await stat(path);
    return { path, bytes: size, changedAt: mtimeMs };
  } catch {
    return undefined;
  }
}
