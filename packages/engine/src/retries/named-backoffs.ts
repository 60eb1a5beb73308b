import { type FinishOptions, InvalidRequest } from '@echomq/core';

/** Waits one after the other, the last for all further attempts. */
export interface StepBackoff {
  /** Before the second attempt, the third …; ms. At least one. */
  readonly stepsMs: readonly number[];
  /** The part of each wait that is random, 0 to 1. */
  readonly jitter?: number;
  /** No wait is longer, ms. */
  readonly maxMs?: number;
}

/** Waits that are computed. */
export interface ComputedBackoff {
  readonly type: 'fixed' | 'exponential';
  /** The wait before the second attempt, ms. */
  readonly baseMs: number;
  /** What each further wait of an exponential one is multiplied with; 2 by default. */
  readonly factor?: number;
  /** The part of each wait that is random, 0 to 1. */
  readonly jitter?: number;
  /** No wait is longer, ms. */
  readonly maxMs?: number;
}

/** A backoff that jobs ask for by its name. An array is its steps. */
export type NamedBackoff = readonly number[] | StepBackoff | ComputedBackoff;

/** Named backoffs as the finish script takes them. */
export type ScriptBackoffs = NonNullable<NonNullable<FinishOptions['retry']>['backoffs']>;

/** Each failure that may be retried carries them all. */
const MAX_BACKOFFS = 100;
const MAX_STEPS = 100;
const MAX_NAME = 128;
/** A year. */
const MAX_MS = 31_536_000_000;

/**
 * Checks named backoffs; `undefined` for none. The cap on all delays, `maxBackoffMs`, holds for them too.
 *
 * @throws InvalidRequest with the path of the first that cannot be used, as in `backoffs.tides.factor`.
 */
export function scriptBackoffs(
  backoffs: Readonly<Record<string, NamedBackoff>>,
): ScriptBackoffs | undefined {
  const entries = Object.entries(backoffs);
  if (entries.length === 0) return undefined;
  if (entries.length > MAX_BACKOFFS) {
    throw new InvalidRequest('backoffs', `must be at most ${MAX_BACKOFFS}`);
  }
  return Object.fromEntries(entries.map(([name, backoff]) => [name, checked(name, backoff)]));
}

function checked(name: string, backoff: NamedBackoff): ScriptBackoffs[string] {
  const path = `backoffs.${name}`;
  if (name.trim() === '' || name.length > MAX_NAME || name === 'fixed' || name === 'exponential') {
    const rule = `a name has 1 to ${MAX_NAME} characters, and fixed and exponential are taken`;
    throw new InvalidRequest(path, rule);
  }
  if (typeof backoff !== 'object' || backoff === null) {
    throw new InvalidRequest(path, 'must be steps, or an object');
  }
  if (Array.isArray(backoff)) return { steps: steps(backoff, path) };
  const given = backoff as Partial<StepBackoff & ComputedBackoff>;
  const { jitter, maxMs } = given;
  const shared = {
    ...(jitter === undefined ? {} : { jitter: within(jitter, `${path}.jitter`, 1) }),
    ...(maxMs === undefined ? {} : { max: within(maxMs, `${path}.maxMs`, MAX_MS) }),
  };
  if (given.stepsMs !== undefined) {
    return { ...shared, steps: steps(given.stepsMs, `${path}.stepsMs`) };
  }
  const { type, baseMs, factor } = given;
  if (type !== 'fixed' && type !== 'exponential') {
    throw new InvalidRequest(`${path}.type`, 'must be fixed or exponential');
  }
  return {
    ...shared,
    type,
    delay: within(baseMs, `${path}.baseMs`, MAX_MS),
    ...(factor === undefined ? {} : { factor: within(factor, `${path}.factor`, 1_000) }),
  };
}

function steps(values: readonly number[], path: string): readonly number[] {
  if (!Array.isArray(values) || values.length === 0 || values.length > MAX_STEPS) {
    throw new InvalidRequest(path, `must be 1 to ${MAX_STEPS} waits`);
  }
  return values.map((value, at) => within(value, `${path}[${at}]`, MAX_MS));
}

function within(value: unknown, path: string, most: number): number {
  if (typeof value === 'number' && value >= 0 && value <= most) return value;
  throw new InvalidRequest(path, `must be a number from 0 to ${most}`);
}
