import { InvalidRequest } from '@echomq/core';
import type { Fault } from '@echomq/proto/messages';

/** Faults of one request. */
const MOST = 1_000;
/** A key of a child: a prefix, a queue's name and an id. */
const LONGEST = 2_048;

/** @throws InvalidRequest naming what in `field` cannot be a fault */
export function checkFaults(faults: readonly Fault[], field: string): void {
  if (faults.length > MOST) throw new InvalidRequest(field, `has more than ${MOST} entries`);
  faults.forEach(({ subject, other, evidence }, at) => {
    if (subject === '') throw new InvalidRequest(`${field}[${at}].subject`, 'must not be empty');
    for (const [name, text] of Object.entries({ subject, other, evidence })) {
      if (Buffer.byteLength(text) <= LONGEST) continue;
      throw new InvalidRequest(`${field}[${at}].${name}`, `is longer than ${LONGEST} bytes`);
    }
  });
}
