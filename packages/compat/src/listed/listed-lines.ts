import type { DifferenceId } from '../differences.js';
import type { Peer } from '../oracle/peers.js';

/** Lines that a difference explains, alike for every release that it is about, or per release. */
export type DifferenceLines =
  | readonly string[]
  | Partial<Readonly<Record<Peer, readonly string[]>>>;

/**
 * By the name of a case: every line by which the two results differ, under the difference that explains it. `+` stands
 * only in EchoMQ's result, `-` only in BullMQ's; Q and R are the case's queues.
 */
export type ListedLines = Readonly<
  Record<string, Partial<Readonly<Record<DifferenceId, DifferenceLines>>>>
>;
