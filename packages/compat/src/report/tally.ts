import { CASES } from '../cases/index.js';
import type { DifferenceId } from '../differences.js';
import { PEERS, type Peer } from '../oracle/peers.js';
import { listedFor } from '../oracle/verdict.js';

/** What one comparison came to. */
export interface Result {
  readonly transition: string;
  readonly peer: Peer;
  /** The listed differences that occurred. */
  readonly listed: readonly DifferenceId[];
  /** Lines that the list does not explain, and announced ones that did not occur. */
  readonly unlisted: number;
}

/** A transition's comparisons with one release. */
export interface Tally {
  readonly cases: number;
  readonly equal: number;
  readonly listed: number;
  readonly unlisted: number;
}

/** Counts results by transition and release. */
export function tally(
  results: readonly Result[],
): ReadonlyMap<string, Readonly<Record<Peer, Tally>>> {
  const transitions = [...new Set(results.map(({ transition }) => transition))];
  return new Map(
    transitions.map((transition) => {
      const ofPeer = (peer: Peer) =>
        count(results.filter((result) => result.transition === transition && result.peer === peer));
      return [transition, { '6.7.0': ofPeer('6.7.0'), '5.81.5': ofPeer('5.81.5') }];
    }),
  );
}

function count(results: readonly Result[]): Tally {
  const clean = results.filter(({ unlisted }) => unlisted === 0);
  const listed = clean.filter((result) => result.listed.length > 0).length;
  return {
    cases: results.length,
    equal: clean.length - listed,
    listed,
    unlisted: results.length - clean.length,
  };
}

/** The results that the list promises: those of a run without failures. */
export function promisedResults(): Result[] {
  return CASES.flatMap(({ transition, cases }) =>
    cases.flatMap(({ name, peers = PEERS }) =>
      peers.map((peer) => ({
        transition,
        peer,
        listed: listedFor({ transition, name, peer }),
        unlisted: 0,
      })),
    ),
  );
}
