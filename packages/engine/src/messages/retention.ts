import type { KeepRule, Retention } from '@echomq/proto/messages';
import { msToDuration } from '@echomq/proto/messages';
import { durationMs } from '../validation/duration.js';
import { MAX_DELAY_MS } from '../validation/time-bounds.js';
import { uint } from '../validation/uint.js';

/** What stays of finished jobs, as BullMQ stores it: remove (true), keep (false), a count, or bounds with the age in s. */
type StoredRetention =
  | boolean
  | number
  | { readonly age?: number; readonly count?: number; readonly limit?: number };

/**
 * The stored form of a retention; `undefined` for the queue's default.
 *
 * @throws InvalidRequest that names the field below `field`.
 */
export function storedRetention(
  retention: Retention | undefined,
  field: string,
): StoredRetention | undefined {
  const rule = retention?.rule;
  if (rule === undefined) return undefined;
  if (rule.$case === 'remove') return rule.value === true;
  const ageMs = durationMs(rule.value.age, `${field}.keep.age`, { max: MAX_DELAY_MS });
  const count = uint(rule.value.count, `${field}.keep.count`);
  const limit = uint(rule.value.limit, `${field}.keep.limit`);
  if (ageMs === undefined && limit === undefined) return count ?? false;
  return {
    ...(ageMs === undefined ? {} : { age: ageMs / 1_000 }),
    ...(count === undefined ? {} : { count }),
    ...(limit === undefined ? {} : { limit }),
  };
}

/** Reads a stored retention; `undefined` for a form that this version does not model. */
export function retentionOf(stored: unknown): Retention | undefined {
  if (typeof stored === 'boolean') return { rule: { $case: 'remove', value: stored } };
  if (isCount(stored)) return keep({ count: stored, age: undefined });
  if (typeof stored !== 'object' || stored === null) return undefined;
  const { age, count, limit, ...rest } = stored as Record<string, unknown>;
  const known =
    (age === undefined || isSeconds(age)) &&
    (count === undefined || isCount(count)) &&
    (limit === undefined || isCount(limit)) &&
    Object.keys(rest).length === 0;
  if (!known) return undefined;
  return keep({
    ...(count === undefined ? {} : { count }),
    age: age === undefined ? undefined : msToDuration(age * 1_000),
    ...(limit === undefined ? {} : { limit }),
  });
}

function keep(value: KeepRule): Retention {
  return { rule: { $case: 'keep', value } };
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 0xffff_ffff;
}

function isSeconds(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= Number.MAX_SAFE_INTEGER / 1_000;
}
