import type { JsonObject } from '@bufbuild/protobuf';
import type { FreshQueue } from '@echomq/testkit';
import type { Failure } from './failure.js';
import { type Rpc, requestsAbout } from './requests.js';
import { type CallOptions, METHODS, type Wire } from './wire.js';

/** How each rpc ended: with an error, or not. */
export type Outcomes = ReadonlyMap<Rpc, Failure | undefined>;

/** Every rpc of the contract. One that has no request in requests.ts fails the test that counts them. */
export const RPCS = [...METHODS.keys()] as Rpc[];

/** What waits where it is asked to, so that it takes a place among those that wait. */
const WAITING: Partial<Record<Rpc, JsonObject>> = {
  FetchJobs: { wait: '30s' },
  PollEvents: { wait: '30s' },
};

/** A queue with a job in every state that some rpc asks for; a lease of `held` has the token `t`. */
export async function stockedQueue(queue: FreshQueue): Promise<void> {
  const later = 9_000_000_000_000;
  await queue.seed({
    active: ['held'],
    wait: ['first'],
    delayed: { later: later * 4_096 },
    failed: { bad: 1 },
    jobs: { held: { ats: 1 }, first: {}, later: { delay: later }, bad: { finishedOn: 1 } },
    locks: { held: { token: 't', ttlMs: 600_000 } },
  });
}

const ABOUT: Partial<Record<Rpc, string>> = {
  PromoteJob: 'later',
  UpdateJobDelay: 'later',
  RetryJob: 'bad',
  UpdateJobPriority: 'first',
  CancelJob: 'first',
};

/** A request of an rpc about what {@link stockedQueue} has made. */
export function requestTo(rpc: Rpc, queue: string): JsonObject {
  const jobId = ABOUT[rpc] ?? 'held';
  return requestsAbout({ queue, jobId, token: 't' })[rpc];
}

/** Makes a call and waits for its end; a stream that opens is let go again. */
export async function attempt(
  wire: Wire,
  rpc: Rpc,
  request: JsonObject,
  options: CallOptions = {},
): Promise<Failure | undefined> {
  if (rpc !== 'Work' && rpc !== 'Subscribe') {
    const deadline = Date.now() + 20_000;
    return (await wire.call(rpc, request, { deadline, ...options })).failure;
  }
  const stream = wire.open(rpc, request, options);
  const opened = await Promise.race([stream.first, stream.ended]);
  if (opened === 'opened') stream.cancel();
  const { failure } = await stream.ended;
  return opened === 'opened' ? undefined : failure;
}

/** Makes a call of every rpc, all at once. */
export async function attemptAll(
  wire: Wire,
  requestOf: (rpc: Rpc) => JsonObject | Promise<JsonObject>,
  options: CallOptions = {},
): Promise<Outcomes> {
  const ends = RPCS.map(
    async (rpc) => [rpc, await attempt(wire, rpc, await requestOf(rpc), options)] as const,
  );
  return new Map(await Promise.all(ends));
}

/** The request of an rpc as one that waits. */
export const waiting = (rpc: Rpc, queue: string): JsonObject => ({
  ...requestTo(rpc, queue),
  ...WAITING[rpc],
});
