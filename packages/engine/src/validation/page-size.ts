import type { Limits } from '../limits.js';
import { uint } from './uint.js';

/**
 * Entries of a page: 0 means the default, more than the limit means the limit.
 *
 * @throws InvalidRequest for what is no whole number from 0.
 */
export function pageSize(
  value: number,
  limits: Pick<Limits, 'maxPageSize' | 'defaultPageSize'>,
): number {
  const asked = uint(value, 'page_size', { fallback: 0 });
  return asked === 0 ? limits.defaultPageSize : Math.min(asked, limits.maxPageSize);
}
