import { createHash } from 'node:crypto';
import type { HeldDigest, HeldJob } from '@echomq/proto/messages';

/** The last whole set that a worker has named, for heartbeats that only say that it is unchanged. */
export class LastSet {
  #jobs: readonly HeldJob[] | undefined = [];
  #digest: Buffer | undefined;

  /** Takes a whole set; `undefined`: the last heartbeat named something else. */
  replace(jobs: readonly HeldJob[] | undefined): void {
    this.#jobs = jobs;
    this.#digest = undefined;
  }

  /** The set for which a digest stands; `undefined` when it stands for another. */
  find({ digest, count }: HeldDigest): readonly HeldJob[] | undefined {
    if (count !== this.#jobs?.length) return undefined;
    this.#digest ??= digestOf(this.#jobs);
    return this.#digest.equals(digest) ? this.#jobs : undefined;
  }
}

/** SHA-256 over `TOKEN 0|1\n` per job, sorted by token, as worker_stream.proto has it. */
export function digestOf(jobs: readonly HeldJob[]): Buffer {
  const hash = createHash('sha256');
  const lines = jobs.map(({ leaseToken, running }) => `${leaseToken} ${running ? 1 : 0}\n`);
  for (const line of lines.sort()) hash.update(line);
  return hash.digest();
}
