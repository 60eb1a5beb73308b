import { type EchoMQError, type FetchReceipt, StoreUnavailable } from '@echomq/core';
import {
  type DeliveredJob,
  type Duration,
  EmptyReason,
  msToDuration,
} from '@echomq/proto/messages';
import type { Delivery } from '../../dispatch/consumer.js';
import { Poll, type PollRequest } from '../../dispatch/poll.js';
import type { QueueDispatch } from '../../dispatch/queue-dispatch.js';
import { withoutData } from '../../messages/sizes.js';
import { guardOf } from '../../receipts/guard.js';
import type { CallContext } from '../../service.js';
import { gatewayDraining, tooManyWaiters } from '../../sessions/session-messages.js';
import type { WorkerDeps } from './worker-deps.js';

/** What a fetch asks for, with its wait in ms; `taken`: what finishes have brought already, in the order of the answer. */
export interface FetchRequest extends PollRequest {
  readonly waitMs: number;
  readonly taken?: readonly Delivery[];
}

/** The part that answers of FetchJobs and of finishes with a next job share. */
export interface FetchAnswer {
  readonly jobs: DeliveredJob[];
  readonly emptyReason: EmptyReason;
  readonly retryAfter: Duration | undefined;
  /** They are those of an earlier call of the request. */
  readonly replayed: boolean;
}

/** Answers this long before the caller's deadline, ms. */
const MARGIN_MS = 500;
/** How long the reason for an empty answer may take to be found, ms. */
const REASON_MS = 250;

/** Takes jobs, or waits for the first. */
export async function fetchJobs(
  dispatch: QueueDispatch,
  request: FetchRequest,
  { deps, context }: { readonly deps: WorkerDeps; readonly context: CallContext },
): Promise<FetchAnswer> {
  const deliveries =
    deps.draining() && !request.taken?.length
      ? []
      : await poll(dispatch, request, { deps, context });
  if (context.signal.aborted) {
    await takeBack(dispatch, deliveries);
    return empty(EmptyReason.EMPTY);
  }
  if (deliveries.length > 0) {
    context.onLost?.(() => void takeBack(dispatch, deliveries));
    return answerOf(deliveries.map(({ job }) => job));
  }
  return whyEmpty(dispatch, deps);
}

/** The caller is gone: its jobs go back, those of a request that may come again after a grace for it. */
async function takeBack(dispatch: QueueDispatch, deliveries: readonly Delivery[]): Promise<void> {
  const repeatable = deliveries.filter(({ guard }) => guard !== undefined);
  void dispatch.putBackUnlessAskedFor(repeatable);
  await dispatch.putBack(deliveries.filter(({ guard }) => guard === undefined));
}

/**
 * The jobs that an earlier call of a request has taken and that are still held; `undefined` when it has taken none. They
 * fit into the answer as they did then.
 */
export async function fetchAgain(
  dispatch: QueueDispatch,
  request: Pick<FetchRequest, 'terms' | 'maxBytes'>,
  receipt: Omit<FetchReceipt, 'call' | 'index'>,
  { deps, context }: { readonly deps: WorkerDeps; readonly context: CallContext },
): Promise<FetchAnswer | undefined> {
  if (!deps.storeReady()) throw new StoreUnavailable('the store cannot be reached', false);
  const { lockMs } = request.terms;
  const asked = dispatch.asking();
  const found = await dispatch.lane.replay({ receipt, lockDuration: lockMs });
  if (!found) return undefined;
  const guard = guardOf(receipt, found.replays);
  const given = await Promise.all(
    found.jobs.map(({ job, token }) => {
      const lease = { token, lockDuration: lockMs };
      return dispatch.fetched({ kind: 'job', job }, lease, asked, guard);
    }),
  );
  const deliveries = given.filter((delivery) => delivery !== undefined);
  if (context.signal.aborted) {
    await takeBack(dispatch, deliveries);
    return { ...empty(EmptyReason.EMPTY), replayed: true };
  }
  const [first] = deliveries;
  if (first) context.onLost?.(() => void takeBack(dispatch, deliveries));
  const jobs = deliveries.map(({ job }) => job);
  if (first && first.bytes > request.maxBytes) jobs[0] = withoutData(first.job);
  return { ...(first ? answerOf(jobs) : empty(EmptyReason.EMPTY)), replayed: true };
}

function answerOf(jobs: DeliveredJob[]): FetchAnswer {
  return { jobs, emptyReason: EmptyReason.UNSPECIFIED, retryAfter: undefined, replayed: false };
}

async function poll(
  dispatch: QueueDispatch,
  request: FetchRequest,
  { deps, context }: { readonly deps: WorkerDeps; readonly context: CallContext },
): Promise<readonly Delivery[]> {
  const { taken = [] } = request;
  // What was taken is answered at once: it may not wait for more.
  const waitMs = taken.length > 0 ? 0 : effectiveWait(request.waitMs, context);
  const line = new Poll(request, waitMs <= 0);
  const end = () => line.end();
  if (taken.length > 0 && !fill(line, taken, dispatch)) return line.answer;
  const obstacle = obstacleTo(waitMs, deps);
  if (obstacle) {
    if (taken.length === 0) throw obstacle;
    end();
    return line.answer;
  }
  const timer = waitMs > 0 ? deps.clock.setTimeout(end, waitMs) : undefined;
  context.signal.addEventListener('abort', end, { once: true });
  deps.waiters.add(line, end);
  const { base } = dispatch.queue.keys;
  const member = { slots: () => line.want() };
  deps.buffers.enter(base, member);
  line.onStarved = () => deps.buffers.starved(base, member);
  try {
    if (context.signal.aborted) end();
    if (waitMs <= 0) dispatch.look(line);
    else dispatch.join(line);
    return await line.answer;
  } finally {
    deps.clock.clearTimeout(timer);
    context.signal.removeEventListener('abort', end);
    deps.waiters.remove(line);
    deps.buffers.leave(base, member);
    dispatch.leave(line);
  }
}

/** Hands over what was taken; what does not fit goes back. False when the line wants no more. */
function fill(line: Poll, taken: readonly Delivery[], dispatch: QueueDispatch): boolean {
  const refused = taken.filter((delivery) => {
    line.begin();
    return !line.take(delivery);
  });
  if (refused.length > 0) void dispatch.putBack(refused);
  return line.want() > 0;
}

/** Why nothing can be fetched now. */
function obstacleTo(waitMs: number, deps: WorkerDeps): EchoMQError | undefined {
  if (waitMs > 0 && deps.waiters.full) return tooManyWaiters(deps.waiters.max);
  if (!deps.storeReady()) return new StoreUnavailable('the store cannot be reached', false);
  return undefined;
}

/** Ends before the caller's deadline; spread, so that a fleet does not come again all at once. */
function effectiveWait(waitMs: number, context: CallContext): number {
  const spread = waitMs * (0.9 + Math.random() * 0.2);
  if (context.deadline === undefined) return spread;
  return Math.min(spread, Math.max(0, context.deadline - Date.now() - MARGIN_MS));
}

async function whyEmpty(dispatch: QueueDispatch, deps: WorkerDeps): Promise<FetchAnswer> {
  if (deps.draining()) return empty(EmptyReason.DRAINING);
  if (!deps.storeReady()) throw new StoreUnavailable('the store cannot be reached', false);
  const limitedMs = dispatch.limitedForMs;
  if (limitedMs > 0) return empty(EmptyReason.RATE_LIMITED, limitedMs);
  return empty(await gateReason(dispatch, deps));
}

/** Whether the queue is paused or at its global concurrency; a store that cannot say in time leaves it at EMPTY. */
async function gateReason(dispatch: QueueDispatch, deps: WorkerDeps): Promise<EmptyReason> {
  let timer: unknown;
  const late = new Promise<EmptyReason>((resolve) => {
    timer = deps.clock.setTimeout(() => resolve(EmptyReason.EMPTY), REASON_MS);
  });
  const asked = askGate(dispatch, deps).catch(() => EmptyReason.EMPTY);
  const reason = await Promise.race([asked, late]);
  deps.clock.clearTimeout(timer);
  return reason;
}

async function askGate({ queue }: QueueDispatch, { store }: WorkerDeps): Promise<EmptyReason> {
  const meta = await store.command('HMGET', [queue.keys.meta, 'paused', 'concurrency']);
  const [paused, concurrency] = Array.isArray(meta) ? meta : [];
  if (paused) return EmptyReason.PAUSED;
  if (!concurrency) return EmptyReason.EMPTY;
  const active = await store.command('LLEN', [queue.keys.active]);
  const full = Number(active) >= Number(concurrency);
  return full ? EmptyReason.CONCURRENCY_LIMITED : EmptyReason.EMPTY;
}

function empty(emptyReason: EmptyReason, retryAfterMs?: number): FetchAnswer {
  const retryAfter = retryAfterMs === undefined ? undefined : msToDuration(Math.ceil(retryAfterMs));
  return { jobs: [], emptyReason, retryAfter, replayed: false };
}

/** Refuses what would take new jobs while the server leaves. */
export function refuseWhileDraining(deps: WorkerDeps): void {
  if (deps.draining()) throw gatewayDraining();
}
