import type { Deduplication } from '@echomq/proto/messages';
import { msToDuration } from '@echomq/proto/messages';
import { durationMs } from '../validation/duration.js';
import { boundedText } from '../validation/text.js';

/** A deduplication as BullMQ stores it. */
interface StoredDeduplication {
  readonly id: string;
  /** Milliseconds. */
  readonly ttl?: number;
  readonly extend?: true;
  readonly replace?: true;
  readonly keepLastIfActive?: true;
  readonly reschedule?: true;
}

const FLAGS = ['extend', 'replace', 'keepLastIfActive', 'reschedule'] as const;

/**
 * The stored form of a deduplication.
 *
 * @throws InvalidRequest that names the field below `field`.
 */
export function storedDeduplication(
  deduplication: Deduplication | undefined,
  field: string,
): StoredDeduplication | undefined {
  if (deduplication === undefined) return undefined;
  const ttl = durationMs(deduplication.ttl, `${field}.ttl`, { min: 1 });
  return {
    id: boundedText(deduplication.id, `${field}.id`, { min: 1, max: 1_024 }),
    ...(ttl === undefined ? {} : { ttl }),
    ...Object.fromEntries(FLAGS.filter((flag) => deduplication[flag]).map((flag) => [flag, true])),
  };
}

/** Reads a stored deduplication; `undefined` for a form that this version does not model. */
export function deduplicationOf(stored: unknown): Deduplication | undefined {
  if (typeof stored !== 'object' || stored === null) return undefined;
  const { id, ttl, ...others } = stored as Record<string, unknown>;
  const { extend, replace, keepLastIfActive, reschedule, ...rest } = others;
  const flags = [extend, replace, keepLastIfActive, reschedule];
  const known =
    typeof id === 'string' &&
    (ttl === undefined || (typeof ttl === 'number' && ttl >= 0)) &&
    flags.every((flag) => flag === undefined || typeof flag === 'boolean') &&
    Object.keys(rest).length === 0;
  if (!known) return undefined;
  return {
    id,
    ttl: ttl === undefined ? undefined : msToDuration(ttl),
    extend: extend === true,
    replace: replace === true,
    keepLastIfActive: keepLastIfActive === true,
    reschedule: reschedule === true,
  };
}
