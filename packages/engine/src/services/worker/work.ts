import { WorkerDirectiveAction, type WorkRequest } from '@echomq/proto/messages';
import type { CallContext, WorkLink } from '../../service.js';
import { tooManyStreams, violation } from '../../sessions/session-messages.js';
import { WorkStream } from '../../sessions/work-stream.js';
import { refuseWhileDraining } from './polling.js';
import type { WorkerDeps } from './worker-deps.js';

/** The open must come within this, ms. */
const OPEN_MS = 10_000;
/** A stream whose caller has set a deadline gives nothing out from so long before it on, ms. */
const DEADLINE_MARGIN_MS = 5_000;
/** The longest time that a timer can wait, ms. */
const MOST_WAIT_MS = 2 ** 31 - 1;

/** Work: the stream of a worker. */
export async function work(link: WorkLink, context: CallContext, deps: WorkerDeps): Promise<void> {
  refuseWhileDraining(deps);
  const { maxStreams } = deps.limits;
  if (deps.sessions.links >= maxStreams) throw tooManyStreams(maxStreams);
  const leave = deps.sessions.enter();
  const deafen = deps.cancels.listen();
  const requests = link.requests[Symbol.asyncIterator]();
  try {
    const open = await firstMessage(requests, context, deps);
    if (open === undefined) return;
    const stream = new WorkStream(link, open, deps, context.principal);
    const broken = () => stream.inputEnded(true);
    context.signal.addEventListener('abort', broken, { once: true });
    let stopWaiting: (() => void) | undefined;
    try {
      if (context.signal.aborted) broken();
      await stream.start().catch((error) => stream.end(error));
      stopWaiting = leaveBefore(context.deadline, stream, deps);
      void read(requests, stream, context);
      await stream.over;
    } finally {
      context.signal.removeEventListener('abort', broken);
      stopWaiting?.();
    }
  } finally {
    leave();
    deafen();
    // Not awaited: a source that waits for the peer would hold the answer back.
    requests.return?.()?.catch(() => undefined);
  }
}

/** Asks the worker to open another stream before the caller's own deadline cuts this one. Returns how to stop that. */
function leaveBefore(
  deadline: number | undefined,
  stream: WorkStream,
  { clock }: WorkerDeps,
): () => void {
  if (deadline === undefined) return () => undefined;
  const leave = () => stream.sendAway(WorkerDirectiveAction.RECONNECT, 0, 'the deadline is near');
  const leftMs = deadline - Date.now() - DEADLINE_MARGIN_MS;
  const timer = clock.setTimeout(leave, Math.min(Math.max(0, leftMs), MOST_WAIT_MS));
  return () => clock.clearTimeout(timer);
}

async function read(
  requests: AsyncIterator<WorkRequest>,
  stream: WorkStream,
  context: CallContext,
): Promise<void> {
  try {
    for (;;) {
      const { done, value } = await requests.next();
      if (done) return stream.inputEnded(context.signal.aborted);
      stream.receive(value);
      if (stream.intake.full) await stream.intake.room();
    }
  } catch {
    stream.inputEnded(true);
  }
}

/** The open, or `undefined` when the caller was gone before it. */
async function firstMessage(
  requests: AsyncIterator<WorkRequest>,
  context: CallContext,
  deps: WorkerDeps,
) {
  let timer: unknown;
  const late = new Promise<never>((_resolve, reject) => {
    timer = deps.clock.setTimeout(
      () => reject(violation('open', 'must be sent within 10 s')),
      OPEN_MS,
    );
  });
  const first = requests.next();
  first.catch(() => undefined);
  try {
    const { done, value } = await Promise.race([first, late]);
    if (context.signal.aborted) return undefined;
    if (done) throw violation('open', 'must be the first message');
    const { message } = value as WorkRequest;
    if (message?.$case !== 'open') throw violation('open', 'must be the first message');
    return message.value;
  } finally {
    deps.clock.clearTimeout(timer);
  }
}
