import { filePath, type Parser } from './parsers.js';

/** One setting. Its flag and its variable follow from its key: `redisUrl`, `--redis-url`, `ECHOMQ_REDIS_URL`. */
export interface Setting<T> {
  /** One line for `--help`. */
  readonly about: string;
  /** What stands for the value in `--help`; absent: a flag without a value. */
  readonly value?: string;
  /** The text that counts when nobody gives one. */
  readonly fallback?: string;
  readonly parse: Parser<T>;
  /** Makes a value fit to be shown; absent: it is shown as it is. */
  readonly mask?: (text: string) => string;
  /** Names a file that must be readable; a function: whether this text does. */
  readonly file?: true | ((text: string) => boolean);
}

/** A setting that always has a value. */
export function always<T>(setting: Setting<T> & { readonly fallback: string }): Setting<T> {
  return setting;
}

/** A setting that may be absent. */
export function maybe<T>(setting: Setting<T>): Setting<T | undefined> {
  return setting;
}

/** A setting that names a file, or is absent. */
export const file = (about: string): Setting<string | undefined> =>
  maybe({ about, value: 'file', parse: filePath, file: true });
