import type * as pb from '@echomq/proto/messages';
import { invalid, tooLarge } from '../errors.js';
import type { HoldPort } from './active-job.js';
import type { HeldJob } from './held-job.js';
import { leaseLost } from './lease-errors.js';
import type { OpenStream } from './open-stream.js';

/** Bounds of the contract on one message of log lines. */
const MAX_LINES = 100;
const MAX_LINE_BYTES = 60 * 1024;

/** What the ports of a session's jobs ask of it. */
export interface PortHost<Data, Result> {
  /** The stream that is up. */
  live(): OpenStream | undefined;
  /** Resolves at the next stream, and when the job is no longer held. */
  whenUp(): Promise<void>;
  /** Bound on progress, in bytes. */
  maxProgressBytes(): number;
  /** A handler has reported progress. */
  onProgress(held: HeldJob<Data, Result>, value: unknown): void;
}

/**
 * Progress and log lines of a held job. They go out on the stream at once; while there is none the newest progress and
 * some lines wait here, and go with the next stream or with the report.
 */
export class HeldPort<Data, Result> implements HoldPort {
  constructor(
    private readonly held: HeldJob<Data, Result>,
    private readonly host: PortHost<Data, Result>,
  ) {}

  get lease(): pb.JobLease {
    return this.held.lease;
  }

  checkHeld(): void {
    const { held } = this;
    if (held.phase === 'running') return;
    throw held.lostBy ?? leaseLost('the run has ended', held.lease);
  }

  sendProgress(progress: Buffer, value: unknown): void {
    const { held, host } = this;
    const limit = host.maxProgressBytes();
    if (progress.length > limit) throw tooLarge('progress', limit, progress.length);
    held.lastProgress = progress;
    const live = host.live();
    if (live === undefined) held.unsentProgress = progress;
    else live.send({ $case: 'progress', value: { lease: held.lease, progress } });
    host.onProgress(held, value);
  }

  async sendLog(line: string): Promise<void> {
    const { held, host } = this;
    const bytes = Buffer.byteLength(line);
    if (bytes > MAX_LINE_BYTES) {
      throw invalid('line', `has ${bytes} bytes, the limit is ${MAX_LINE_BYTES}`);
    }
    while (host.live() === undefined && isFull(held, bytes)) {
      await host.whenUp();
      this.checkHeld();
    }
    const live = host.live();
    if (live === undefined) {
      held.unsentLines.push(line);
    } else if (!live.send(logs(held.lease, [line]))) {
      await live.writable();
    }
  }
}

/** Sends what waited for a stream. */
export function flushHeld<Data, Result>(held: HeldJob<Data, Result>, live: OpenStream): void {
  const { lease, unsentLines, unsentProgress: progress } = held;
  if (unsentLines.length > 0) live.send(logs(lease, unsentLines));
  held.unsentLines = [];
  if (progress !== undefined) live.send({ $case: 'progress', value: { lease, progress } });
  held.unsentProgress = undefined;
}

function logs(lease: pb.JobLease, lines: string[]): pb.WorkRequest['message'] {
  return { $case: 'logs', value: { lease, lines, keep: undefined } };
}

function isFull<Data, Result>({ unsentLines }: HeldJob<Data, Result>, more: number): boolean {
  if (unsentLines.length >= MAX_LINES) return true;
  const bytes = unsentLines.reduce((sum, line) => sum + Buffer.byteLength(line), 0);
  return bytes + more > MAX_LINE_BYTES;
}
