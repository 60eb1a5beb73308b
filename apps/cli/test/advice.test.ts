import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { ADVISED } from '../src/exit/advice.js';

const proto = new URL('../../../proto/echomq/v1/errors.proto', import.meta.url);

it('advice is kept for reasons of the contract, and for the one of the SDK', () => {
  const reasons = [...readFileSync(proto, 'utf8').matchAll(/\bERROR_REASON_([A-Z_]+) = /g)].map(
    ([, reason]) => reason,
  );
  expect(reasons.length).toBeGreaterThan(30);
  expect(ADVISED.filter((reason) => !reasons.includes(reason))).toEqual(['WAIT_TIMED_OUT']);
});
