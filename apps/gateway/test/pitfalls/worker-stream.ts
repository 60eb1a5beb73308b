import type { JsonObject } from '@bufbuild/protobuf';
import { eventually } from '@echomq/testkit';
import type { Held } from '../errors/stand.js';
import { type Answer, base64, type Ended, type Wire } from '../errors/wire.js';

/** A worker that does what a test says, over a real Work stream. */
export interface PlayedWorker {
  /** What came, in order. */
  readonly answers: Answer[];
  readonly ended: Promise<Ended>;
  /** The leases that were delivered so far. */
  leases(): Held[];
  /** Waits until so many jobs have been delivered. */
  delivered(count: number): Promise<Held[]>;
  /** Waits for a message of a kind, as in `reportAck`. */
  next(kind: string): Promise<Answer>;
  send(message: JsonObject): void;
  /** Names what it holds, running. */
  beat(held: readonly Held[]): void;
  /** Reports a job as completed. */
  complete(lease: Held, reportId?: number): void;
  half(): void;
  cancel(): void;
}

let sessions = 0;

/** Opens a stream as a worker of one queue. */
export function playWorker(wire: Wire, queue: string, more: JsonObject = {}): PlayedWorker {
  sessions += 1;
  const worker = { workerId: 'played', sessionId: `played-${process.pid}-${sessions}` };
  const { epoch = 0, ...window } = more;
  const subscriptions = [{ queue, maxInFlight: 1, ...window }];
  const stream = wire.open('Work', { open: { worker, subscriptions, epoch } });
  const leases = (): Held[] =>
    stream.answers.flatMap(({ delivery }) =>
      (delivery?.jobs ?? []).map(({ lease }: { lease: Held }) => lease),
    );
  let seq = 0;
  return {
    answers: stream.answers,
    ended: stream.ended,
    leases,
    delivered: (count) =>
      eventually(() => {
        const found = leases();
        if (found.length < count) throw new Error(`${found.length} of ${count} delivered`);
        return found;
      }, 20_000),
    next: (kind) =>
      eventually(() => {
        const found = stream.answers.find((answer) => answer[kind]);
        if (!found) throw new Error(`no ${kind} came`);
        return found[kind];
      }, 20_000),
    send: stream.send,
    beat: (held) => {
      seq += 1;
      const jobs = held.map(({ leaseToken }) => ({ leaseToken, running: true }));
      stream.send({ heartbeat: { seq, held: { jobs } } });
    },
    complete: (lease, reportId = 1) => {
      const outcome = { complete: { returnValue: base64('1') } };
      stream.send({ report: { reportId, lease, outcome } });
    },
    half: stream.half,
    cancel: stream.cancel,
  };
}
