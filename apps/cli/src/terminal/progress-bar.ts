import { Presets, SingleBar } from 'cli-progress';
import type { Terminal } from './terminal.js';

/** How far long work is. */
export interface ProgressBar {
  /** So many are done; `total` where it is known better now. */
  update(done: number, total?: number): void;
  /** Takes it off the terminal. */
  stop(): void;
}

const NONE: ProgressBar = { update: () => {}, stop: () => {} };

/** What a bar shows. */
export interface ProgressOptions {
  /** What is counted: `added`. */
  readonly what: string;
  /** How many there will be; absent: nobody knows. */
  readonly total?: number;
  /** None, whatever the terminal. */
  readonly quiet?: boolean;
}

/** A bar on the error stream, where somebody watches that; else nothing. */
export function progressBar(
  { stderr }: Terminal,
  { what, total, quiet = false }: ProgressOptions,
): ProgressBar {
  if (quiet || (stderr as NodeJS.WriteStream).isTTY !== true) return NONE;
  const known = total !== undefined && total > 0;
  const format = known
    ? `{bar} {percentage}% | {value}/{total} ${what} | {eta_formatted} to go`
    : `{value} ${what} | {duration_formatted}`;
  const bar = new SingleBar(
    { format, stream: stderr as NodeJS.WriteStream, clearOnComplete: true, hideCursor: true },
    Presets.shades_classic,
  );
  bar.start(total ?? 0, 0);
  return {
    update: (done, of) => {
      if (of !== undefined) bar.setTotal(of);
      bar.update(done);
    },
    stop: () => bar.stop(),
  };
}
