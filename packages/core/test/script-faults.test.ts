import { SCRIPTS } from '@echomq/lua';
import { placesOf, SCRIPT_FAULTS, useRedis, withFault } from '@echomq/testkit';
import { describe, expect, test } from 'vitest';

const redis = useRedis();
const PLACES = SCRIPT_FAULTS.flatMap((fault) =>
  Array.from({ length: placesOf(fault) }, (_, place) => [fault, place] as const),
);

// A fault that nobody can plant any more is noticed by every test that must notice it.
describe.each(PLACES)('the fault %s, in place %i', (fault, place) => {
  const planted = Object.values(SCRIPTS)
    .map(({ source }) => [source, withFault(source, fault, place)] as const)
    .filter(([source, faulty]) => faulty !== source);

  test('can be planted', () => expect(planted.length).toBeGreaterThan(0));

  test('leaves scripts that a server can read', async () => {
    for (const [, faulty] of planted) await redis.client.script('LOAD', faulty);
  });
});
