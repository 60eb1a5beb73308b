import type { CallContext, Services } from '@echomq/engine';
import type { Target } from './change/target.js';

/** Who looks at the page, and what that one may do. */
export interface Caller {
  /** Names the caller in the log and in the page's head. */
  readonly name: string;
  /** The namespace whose queues are shown; empty: the default one. */
  readonly namespace: string;
  /** The services of that namespace. Each call is checked against the caller's rights before the engine hears of it. */
  readonly services: Pick<Services, 'queue' | 'scheduler'>;
  /** Whether the caller may change a queue: what the page offers; the services decide for themselves. */
  mayChange(queue: string): boolean;
}

/** How a request ended, for the log. */
export interface EndedRequest extends Target {
  /** `show.jobs`, `change.retryJob`. */
  readonly what: string;
  /** Absent: it was never known. */
  readonly caller: string | undefined;
  /** Canonical code of the error; absent: it went well. */
  readonly code?: string;
  /** The reason beside the code. */
  readonly reason?: string;
  readonly ms: number;
  /** The address that it came from. */
  readonly peer: string;
}

/** What the dashboard needs of who serves it. */
export interface DashboardPorts {
  /** Nothing is asked of callers: the page does not ask for a token. */
  readonly open: boolean;
  /**
   * Host names, without port, by which requests may ask for this server; absent: any. A server that asks nobody for
   * credentials takes its own names alone, as a foreign page could otherwise have its name resolved to this address.
   */
  readonly hosts?: ReadonlySet<string>;
  /** The version that the page shows. */
  readonly version: string;
  /** Who shows this `authorization` header, from an address. @throws EchoMQError UNAUTHENTICATED */
  admit(authorization: string | undefined, peer: string): Promise<Caller>;
  /** Hears of each request for data once it has ended. */
  ended(request: EndedRequest): void;
  /** Notes a bug of ours under the id that the caller is given. */
  reportBug(id: string, error: unknown): void;
}

/** A request's context before the caller's own facts are added. */
export type RequestContext = Pick<CallContext, 'signal' | 'deadline'>;
