import { InvalidRequest } from '@echomq/core';
import { type Backoff, BackoffType, msToDuration } from '@echomq/proto/messages';
import { durationMs } from '../validation/duration.js';
import { boundedText } from '../validation/text.js';
import { MAX_DELAY_MS } from '../validation/time-bounds.js';

/** A backoff as BullMQ stores it. */
interface StoredBackoff {
  readonly type: string;
  /** Milliseconds. */
  readonly delay?: number;
  /** 0 to 1. */
  readonly jitter?: number;
}

/** The stored types that are no custom ones. */
const KINDS: ReadonlyMap<string, BackoffType> = new Map([
  ['fixed', BackoffType.FIXED],
  ['exponential', BackoffType.EXPONENTIAL],
]);

/**
 * The stored form of a backoff; `undefined` for none.
 *
 * @throws InvalidRequest that names the field below `field`.
 */
export function storedBackoff(
  backoff: Backoff | undefined,
  field: string,
): StoredBackoff | undefined {
  if (backoff === undefined) return undefined;
  const type = typeName(backoff, field);
  const { jitter } = backoff;
  if (!(jitter >= 0 && jitter <= 1)) {
    throw new InvalidRequest(`${field}.jitter`, 'must lie between 0 and 1');
  }
  const delay = durationMs(backoff.delay, `${field}.delay`, { max: MAX_DELAY_MS });
  if (type === undefined) {
    if (delay === undefined && jitter === 0) return undefined;
    throw new InvalidRequest(`${field}.type`, 'must be set when the backoff has a delay');
  }
  const custom = backoff.type === BackoffType.CUSTOM;
  return {
    type,
    ...(custom && delay === undefined ? {} : { delay: delay ?? 0 }),
    ...(jitter > 0 ? { jitter } : {}),
  };
}

function typeName({ type, customName }: Backoff, field: string): string | undefined {
  if (type === BackoffType.CUSTOM) {
    const name = boundedText(customName, `${field}.custom_name`, { min: 1, max: 128 });
    if (KINDS.has(name)) {
      throw new InvalidRequest(`${field}.custom_name`, `${name} has a type of its own`);
    }
    return name;
  }
  if (customName !== '') {
    throw new InvalidRequest(`${field}.custom_name`, 'belongs to the type CUSTOM alone');
  }
  if (type === BackoffType.FIXED) return 'fixed';
  if (type === BackoffType.EXPONENTIAL) return 'exponential';
  if (type === BackoffType.UNSPECIFIED) return undefined;
  throw new InvalidRequest(`${field}.type`, 'is no known type');
}

/** Reads a stored backoff, a plain number of ms included; `undefined` for a form that this version does not model. */
export function backoffOf(stored: unknown): Backoff | undefined {
  if (isMs(stored)) return fixed(stored);
  if (typeof stored !== 'object' || stored === null) return undefined;
  const { type, delay, jitter, ...rest } = stored as Record<string, unknown>;
  const known =
    typeof type === 'string' &&
    type !== '' &&
    (delay === undefined || isMs(delay)) &&
    (jitter === undefined || isShare(jitter)) &&
    Object.keys(rest).length === 0;
  if (!known) return undefined;
  const kind = KINDS.get(type);
  return {
    type: kind ?? BackoffType.CUSTOM,
    delay: delay === undefined ? undefined : msToDuration(delay),
    jitter: jitter === undefined ? 0 : jitter,
    customName: kind === undefined ? type : '',
  };
}

function fixed(ms: number): Backoff {
  return { type: BackoffType.FIXED, delay: msToDuration(ms), jitter: 0, customName: '' };
}

function isMs(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= Number.MAX_SAFE_INTEGER;
}

function isShare(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= 1;
}
