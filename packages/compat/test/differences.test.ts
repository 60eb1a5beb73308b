import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { CASES } from '../src/cases/index.js';
import { DIFFERENCES, type DifferenceId } from '../src/differences.js';
import { LISTED } from '../src/listed/index.js';
import { PEERS } from '../src/oracle/peers.js';
import { listedFor } from '../src/oracle/verdict.js';
import { differencesPage, transitionsOf } from '../src/report/differences-page.js';

const IDS = Object.keys(DIFFERENCES) as DifferenceId[];

describe('the list of differences', () => {
  it.each(IDS)('has a case that shows %s, for each release that it names', (id) => {
    expect(transitionsOf(id)).not.toEqual([]);
    const shown = PEERS.filter((peer) =>
      CASES.some(({ transition, cases }) =>
        cases.some(({ name }) => listedFor({ transition, name, peer }).includes(id)),
      ),
    );
    expect(shown).toEqual(DIFFERENCES[id].peers);
  });

  it('names only cases that exist', () => {
    const known = new Set(
      CASES.flatMap(({ transition, cases }) => cases.map(({ name }) => `${transition} ${name}`)),
    );
    const named = Object.entries(LISTED).flatMap(([transition, cases]) =>
      Object.keys(cases).map((name) => `${transition} ${name}`),
    );
    expect(named.filter((name) => !known.has(name))).toEqual([]);
  });

  // A run that writes the page does so at its end.
  it.skipIf(process.env.ECHOMQ_COMPAT_WRITE)('is the page in docs', () => {
    const page = new URL('../../../docs/compatibility-differences.md', import.meta.url);
    expect(readFileSync(page, 'utf8')).toBe(differencesPage());
  });
});

describe('the cases', () => {
  it('have names of their own', () => {
    for (const { transition, cases } of CASES) {
      const names = cases.map(({ name }) => name);
      expect([transition, names.filter((name, at) => names.indexOf(name) !== at)]).toEqual([
        transition,
        [],
      ]);
    }
  });
});
