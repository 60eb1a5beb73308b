import { type DeliveredJob, WorkRequest, type WorkResponse } from '@echomq/proto/messages';
import { WorkerServiceClient } from '@echomq/proto/services';
import { credentials } from '@grpc/grpc-js';

/** The way to the worker and back, ms: far longer than the handlers of short jobs. */
const TRIP_MS = 30;

/** A worker far away with two slots and a window of four, without any help of an SDK. */
export interface FarWorker {
  /** Ids of the jobs that it has begun, in their order. */
  readonly begun: string[];
  /** Ids of those that it holds and has not begun. */
  readonly waiting: () => string[];
  /** Short jobs that it has ended. */
  readonly ended: () => number;
  /** From now on long jobs end too. */
  finish(): void;
  /** It dies: nothing is said any more. */
  die(): void;
}

/** Opens its stream. A job whose data has `short` ends at once; every other one never does. */
export function farWorker(address: string, queue: string, sessionId: string): FarWorker {
  const client = new WorkerServiceClient(address, credentials.createInsecure(), {
    'grpc.use_local_subchannel_pool': 1,
  });
  const stream = client.work();
  stream.on('error', () => undefined);
  const [running, waiting, begun]: [DeliveredJob[], DeliveredJob[], string[]] = [[], [], []];
  let [seq, reports, acked, finishing] = [0, 0, 0, false];
  const send = (message: object) => stream.write(WorkRequest.fromPartial({ message } as never));
  const isShort = ({ data }: DeliveredJob) => JSON.parse(Buffer.from(data).toString()).short;
  const named = (jobs: readonly DeliveredJob[], isRunning: boolean) =>
    jobs.map(({ lease }) => ({ leaseToken: lease?.leaseToken, running: isRunning }));
  const beat = () => {
    const jobs = [...named(running, true), ...named(waiting, false)];
    const holdings = { $case: 'held', value: { jobs } };
    const load = { running: running.length, capacity: 2 };
    send({ $case: 'heartbeat', value: { seq: ++seq, holdings, load } });
  };
  const work = () => {
    const first = waiting.splice(0, Math.max(0, 2 - running.length));
    running.push(...first);
    begun.push(...first.filter((job) => !isShort(job)).map((job) => job.lease?.jobId ?? ''));
    beat();
    for (const job of running.filter((each) => isShort(each) || finishing)) {
      running.splice(running.indexOf(job), 1);
      const outcome = { kind: { $case: 'complete', value: {} } };
      const report = { reportId: ++reports, ackedThrough: acked, lease: job.lease, outcome };
      send({ $case: 'report', value: report });
    }
    if (waiting.length > 0 && running.length < 2) work();
  };
  stream.on('data', ({ message }: WorkResponse) => {
    if (message?.$case === 'reportAck') acked += 1;
    if (message?.$case !== 'delivery') return;
    setTimeout(() => {
      waiting.push(...message.value.jobs);
      work();
    }, TRIP_MS);
  });
  const subscriptions = [{ queue, maxInFlight: 4, lockDuration: { seconds: 1, nanos: 0 } }];
  const load = { running: 0, capacity: 2 };
  const worker = { workerId: 'far', sessionId };
  send({ $case: 'open', value: { worker, subscriptions, load } });
  const timer = setInterval(beat, 300);
  return {
    begun,
    waiting: () => waiting.map((job) => job.lease?.jobId ?? ''),
    ended: () => acked,
    finish: () => {
      finishing = true;
      work();
    },
    die: () => {
      clearInterval(timer);
      stream.cancel();
      client.close();
    },
  };
}
