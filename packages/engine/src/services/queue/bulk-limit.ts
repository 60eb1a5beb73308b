import { uint } from '../../validation/uint.js';

/**
 * Jobs of one call of a bulk change: 0 means 1,000.
 *
 * @throws InvalidRequest for more than 10,000.
 */
export function bulkLimit(limit: number): number {
  return uint(limit, 'limit', { max: 10_000, fallback: 0 }) || 1_000;
}
