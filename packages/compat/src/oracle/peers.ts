import * as six from 'bullmq';
import * as five from 'bullmq5';

/** The releases that the oracle asks and the peers run. */
export const PEERS = ['6.7.0', '5.81.5'] as const;

/** A release of BullMQ. */
export type Peer = (typeof PEERS)[number];

/** BullMQ's package, as far as both releases have it in common. */
export type BullModule = typeof six;

/** The package of a release. Its types are the newest's: the cases use only what both have. */
export function bullModule(peer: Peer): BullModule {
  return peer === '6.7.0' ? six : (five as unknown as BullModule);
}
