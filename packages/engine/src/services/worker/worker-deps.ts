import type { ServerInfo } from '@echomq/proto/messages';
import type { CancelWatch } from '../../cancels/cancel-watch.js';
import type { Dispatcher } from '../../dispatch/dispatcher.js';
import type { LeaseKeeper } from '../../leases/lease-keeper.js';
import type { EngineDeps } from '../../ports.js';
import type { BufferDesk } from '../../sessions/buffer-desk.js';
import type { SessionRegistry } from '../../sessions/session-registry.js';
import type { WorkerBook } from '../../workers/worker-book.js';
import type { Waiters } from './waiters.js';

/** What WorkerService works with. */
export interface WorkerDeps extends EngineDeps {
  readonly dispatcher: Dispatcher;
  readonly keeper: LeaseKeeper;
  readonly sessions: SessionRegistry;
  readonly buffers: BufferDesk;
  readonly waiters: Waiters;
  readonly cancels: CancelWatch;
  readonly workers: WorkerBook;
  /** Whether the server is about to leave. */
  readonly draining: () => boolean;
  /** Whether the engine has been closed: nothing is waited for any longer. */
  readonly closed: () => boolean;
  /** Whether the store can be reached right now. */
  readonly storeReady: () => boolean;
  readonly serverInfo: () => ServerInfo | undefined;
}
