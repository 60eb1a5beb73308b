import type { SdkInfo, WorkerInfo, WorkerLoad } from '@echomq/proto/messages';
import { cutText } from '../messages/cut-text.js';
import type { NamedQueue } from '../queue-names.js';

/** Bytes of each text that a worker tells of itself. */
const MAX_TEXT = 256;
const MAX_LABELS = 32;
/** Held jobs and queues that an entry names. */
const MAX_NAMED = 100;

/** A session as it stands now. */
export interface WorkerNote {
  readonly worker: WorkerInfo;
  readonly heardMsAgo: number;
  readonly load?: WorkerLoad | undefined;
  /** By how much its last heartbeat came too late, ms; absent: nothing is known. */
  readonly lagMs?: number | undefined;
  /** The queues that it serves, with the jobs of each that it holds. */
  readonly queues: readonly { readonly queue: NamedQueue; readonly held: readonly string[] }[];
}

/** Who a session is: what an entry keeps as `about`. Format 1. */
export interface AboutWorker {
  readonly workerId: string;
  readonly sessionId: string;
  readonly name: string;
  readonly host: string;
  readonly pid: number;
  readonly sdk?: SdkInfo;
  readonly labels: Readonly<Record<string, string>>;
  /** Names of its queues as it gave them. */
  readonly queues: readonly string[];
}

/** How it stands: what an entry keeps as `state`. Format 1. */
export interface WorkerState {
  readonly load?: WorkerLoad;
  readonly lagMs?: number;
  /** Ids of jobs of the entry's queue. */
  readonly held: readonly string[];
}

/** An entry's `about`. What a worker says of itself is cut to size. */
export function aboutOf({ worker, queues }: WorkerNote): AboutWorker {
  const text = (value: string) => cutText(value, MAX_TEXT);
  const { sdk } = worker;
  const labels = Object.entries(worker.labels).slice(0, MAX_LABELS);
  return {
    workerId: text(worker.workerId),
    sessionId: text(worker.sessionId),
    name: text(worker.name),
    host: text(worker.host),
    pid: worker.pid,
    ...(sdk ? { sdk: { language: text(sdk.language), version: text(sdk.version) } } : {}),
    labels: Object.fromEntries(labels.map(([key, value]) => [text(key), text(value)])),
    queues: queues.slice(0, MAX_NAMED).map(({ queue }) => queue.name),
  };
}

/** An entry's `state`. */
export function stateOf({ load, lagMs }: WorkerNote, held: readonly string[]): WorkerState {
  return {
    ...(load ? { load } : {}),
    ...(lagMs === undefined ? {} : { lagMs: Math.max(0, Math.round(lagMs)) }),
    held: held.slice(0, MAX_NAMED),
  };
}
