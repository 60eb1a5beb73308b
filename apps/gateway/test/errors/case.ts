import type { Failure } from './failure.js';
import type { Rpc } from './requests.js';
import type { Stand } from './stand.js';

/** How one reason of one rpc is provoked on a gateway of the usual kind. */
export interface Case {
  readonly rpc: Rpc;
  readonly reason: string;
  /** The names in the ErrorInfo's metadata, at least these. */
  readonly facts: readonly string[];
  /** What it takes; of a bulk or stream the error may stand in its answer. */
  readonly provoke: (stand: Stand) => Promise<Failure>;
}
