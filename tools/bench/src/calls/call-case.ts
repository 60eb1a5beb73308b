import type { QueueKeys, Store } from '@echomq/core';

/** A queue on a private server, and what its scripts take for the time. */
export interface Setting {
  readonly store: Store;
  readonly keys: QueueKeys;
  /** ms since the epoch; '' (as in production) lets the scripts ask Redis. */
  readonly now: number | '';
}

/** A run under way. */
export interface Held {
  readonly jobId: string;
  readonly token: string;
}

/** The smallest script with the same effects, as it is called for one case. */
export interface Yardstick {
  /** Its file in `yardsticks/`, without the ending. */
  readonly file: string;
  readonly keys: readonly string[];
  readonly args: readonly (string | number)[];
}

/** A transition whose calls are counted, and the smallest script that does in this case what it does. */
export interface CallCase {
  readonly id: string;
  readonly title: string;
  /** What one call is divided by. */
  readonly jobs: number;
  /** Jobs that are added beforehand, in bulk, with ids from 1. One at least: it leaves `meta` as it stays. */
  readonly waiting?: number;
  /** How many of them are taken. */
  readonly taken?: number;
  /** Their options, as they are stored. */
  readonly opts?: string;
  /** What else is done before the measured call; returns what is held then. */
  prepare?(setting: Setting, held: readonly Held[]): Promise<readonly Held[]>;
  /** One call of the binding that the engine uses, with what the engine gives it. */
  run(setting: Setting, held: readonly Held[]): Promise<unknown>;
  yardstick(setting: Setting, held: readonly Held[]): Yardstick;
}

/** The one job that is held. */
export function only(held: readonly Held[]): Held {
  const [first] = held;
  if (!first) throw new Error('no job was taken');
  return first;
}
