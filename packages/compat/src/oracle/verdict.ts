import { DIFFERENCES, type DifferenceId } from '../differences.js';
import { LISTED } from '../listed/index.js';
import type { ListedLines } from '../listed/listed-lines.js';
import type { Peer } from './peers.js';

/** What a comparison found. */
export interface Verdict {
  /** Lines that no listed difference of the case explains. */
  readonly unlisted: readonly string[];
  /** Lines that a listed difference announces and that did not occur. */
  readonly missing: readonly string[];
  /** The listed differences that occurred. */
  readonly listed: readonly DifferenceId[];
}

/** Which case, against which release. */
export interface Trial {
  readonly transition: string;
  readonly name: string;
  readonly peer: Peer;
}

/** Holds the lines of a comparison against the list. Each announced line explains one line. */
export function judge(trial: Trial, lines: readonly string[]): Verdict {
  const unlisted = [...lines];
  const missing: string[] = [];
  const listed = new Set<DifferenceId>();
  for (const { id, line } of announced(trial)) {
    const at = unlisted.indexOf(line);
    if (at < 0) {
      missing.push(`${id}: ${line}`);
    } else {
      unlisted.splice(at, 1);
      listed.add(id);
    }
  }
  return { unlisted, missing, listed: [...listed] };
}

/** The differences that the list has for a case and a release. */
export function listedFor(trial: Trial): DifferenceId[] {
  return [...new Set(announced(trial).map(({ id }) => id))];
}

function announced({ transition, name, peer }: Trial): { id: DifferenceId; line: string }[] {
  const lists: ListedLines = LISTED[transition] ?? {};
  return Object.entries(lists[name] ?? {}).flatMap(([key, lines]) => {
    const id = key as DifferenceId;
    if (!DIFFERENCES[id].peers.includes(peer)) return [];
    const ofPeer: readonly string[] = 'map' in lines ? lines : (lines[peer] ?? []);
    return ofPeer.map((line) => ({ id, line }));
  });
}
