import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FoundFile, hasChanged } from './find-files.js';
import type { AddedJob } from './plan.js';
import type { StoredJob } from './stored-queue.js';

/** What a checksum job returns. */
export interface Checksum {
  readonly bytes: number;
  readonly lines: number;
  readonly sha256: string;
}

/** How the results compare with checksums made here. */
export interface Comparison {
  readonly compared: number;
  /** Files that were changed while the demo ran: their results say nothing. */
  readonly changed: number;
  readonly problems: readonly string[];
}

const AT_A_TIME = 8;

/** Reads each file again in this process and compares its SHA-256 and its size with the job's result. */
export async function compareResults(
  added: readonly AddedJob[],
  stored: ReadonlyMap<string, StoredJob>,
  signal: AbortSignal,
): Promise<Comparison> {
  const todo = added.filter(({ file }) => file !== undefined);
  const problems: string[] = [];
  let compared = 0;
  let changed = 0;
  const next = todo[Symbol.iterator]();
  await Promise.all(
    Array.from({ length: AT_A_TIME }, async () => {
      for (const { id, file } of next) {
        if (file === undefined) continue;
        signal.throwIfAborted();
        const problem = await differs(file, stored.get(id)?.result ?? '');
        if (problem !== undefined && (await hasChanged(file))) {
          changed += 1;
          continue;
        }
        compared += 1;
        if (problem !== undefined) problems.push(`job ${id}, ${file.path}: ${problem}`);
      }
    }),
  );
  return { compared, changed, problems };
}

async function differs(file: FoundFile, result: string): Promise<string | undefined> {
  const claimed = parse(result);
  if (claimed === undefined) return `the result is ${result === '' ? 'missing' : result}`;
  const { bytes, sha256 } = await digest(file.path).catch(() => ({ bytes: -1, sha256: 'gone' }));
  if (claimed.sha256 !== sha256) return `sha256 is ${claimed.sha256}, it should be ${sha256}`;
  if (claimed.bytes !== bytes) return `bytes is ${claimed.bytes}, it should be ${bytes}`;
  return undefined;
}

function parse(result: string): Checksum | undefined {
  try {
    return (JSON.parse(result) as Checksum | null) ?? undefined;
  } catch {
    return undefined;
  }
}

async function digest(path: string): Promise<{ bytes: number; sha256: string }> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    hash.update(chunk);
    bytes += chunk.length;
  }
  return { bytes, sha256: hash.digest('hex') };
}
