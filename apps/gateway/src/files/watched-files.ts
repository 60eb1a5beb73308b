import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { FileError } from './file-error.js';

/** How files are watched. */
export interface WatchOptions<T> {
  readonly paths: readonly string[];
  /** Makes the value of the files' bytes, in the order of the paths; throws where they make none. */
  readonly load: (contents: readonly Buffer[]) => T;
  /** Time between two looks, ms. */
  readonly intervalMs: number;
  /** A new value stands. */
  readonly onChange?: (value: T) => void;
  /** The files changed into something that makes no value; the last good one goes on. Once per change. */
  readonly onBad: (error: Error) => void;
}

/**
 * A value made of files that is made anew when their bytes change. It looks at the bytes at intervals: what mounts
 * secrets swaps links, and no notice of the file system tells that everywhere. Several files may change one after the
 * other; what they make meanwhile is bad and harms nobody.
 */
export class WatchedFiles<T> {
  #current: T;
  #seen: readonly Buffer[];
  #trouble = '';
  #looking: Promise<void> | undefined;
  readonly #timer: NodeJS.Timeout;

  /** @throws FileError when a file cannot be read, or they make no value now */
  constructor(private readonly options: WatchOptions<T>) {
    try {
      this.#seen = options.paths.map((path) => readFileSync(path));
      this.#current = options.load(this.#seen);
    } catch (error) {
      if (error instanceof FileError) throw error;
      throw new FileError([`${options.paths.join(', ')}: ${(error as Error).message}`]);
    }
    this.#timer = setInterval(() => void this.look(), options.intervalMs);
    this.#timer.unref();
  }

  /** The last good value. */
  get current(): T {
    return this.#current;
  }

  /** Looks now; resolves when it has. Never rejects. */
  look(): Promise<void> {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  /** Looks no more. */
  close(): void {
    clearInterval(this.#timer);
  }

  async #look(): Promise<void> {
    let contents: readonly Buffer[];
    try {
      contents = await Promise.all(this.options.paths.map((path) => readFile(path)));
    } catch (error) {
      this.#bad(error as Error);
      return;
    }
    if (contents.every((bytes, at) => this.#seen[at]?.equals(bytes))) return;
    this.#seen = contents;
    try {
      this.#current = this.options.load(contents);
    } catch (error) {
      this.#bad(error as Error);
      return;
    }
    this.#trouble = '';
    this.options.onChange?.(this.#current);
  }

  #bad(error: Error): void {
    if (error.message === this.#trouble) return;
    this.#trouble = error.message;
    this.options.onBad(error);
  }
}
