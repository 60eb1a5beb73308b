import { createHash } from 'node:crypto';
import type { HeldDigest, HeldJob } from '@echomq/proto/messages';

/** What a worker's last heartbeat said that it holds. */
export class HeldNames {
  #jobs: readonly HeldJob[] = [];
  #tokens: ReadonlySet<string> = new Set();
  #digest: Buffer | undefined;

  /** Takes a whole set. */
  replace(jobs: readonly HeldJob[]): void {
    this.#jobs = jobs;
    this.#tokens = new Set(jobs.map((job) => job.leaseToken));
    this.#digest = undefined;
  }

  /** Whether the last heartbeat named this lease. */
  has(token: string): boolean {
    return this.#tokens.has(token);
  }

  get jobs(): readonly HeldJob[] {
    return this.#jobs;
  }

  /** Whether a digest stands for the last set. */
  matches({ digest, count }: HeldDigest): boolean {
    if (count !== this.#jobs.length) return false;
    this.#digest ??= digestOf(this.#jobs);
    return this.#digest.equals(digest);
  }
}

/** SHA-256 over `TOKEN 0|1\n` per job, sorted by token, as worker_stream.proto has it. */
export function digestOf(jobs: readonly HeldJob[]): Buffer {
  const hash = createHash('sha256');
  const lines = jobs.map(({ leaseToken, running }) => `${leaseToken} ${running ? 1 : 0}\n`);
  for (const line of lines.sort()) hash.update(line);
  return hash.digest();
}
