/**
 * A wait before the next try: between nothing and a bound that doubles with each try ("full jitter"), so that many
 * clients that lost the same server do not come back in step.
 *
 * @param tries how many have failed, from 1
 * @param firstMs the bound after the first
 * @param maxMs the largest bound
 */
export function fullJitter(tries: number, firstMs: number, maxMs: number): number {
  return Math.random() * Math.min(maxMs, firstMs * 2 ** Math.min(tries - 1, 30));
}
