import { type DeliveredJob, JobSignalKind, LeaseStatus } from '@echomq/proto/messages';
import { tokenOf } from '../gateway/jobs.js';
import type { RiggedStream } from '../gateway/rigged-stream.js';
import { about, expectThat, nameOf, type Stage } from '../stage.js';
import type { Case } from './case.js';

const LONG_MS = 60_000;

/** What happens to held jobs from outside. */
export const SIGNALS: readonly Case[] = [
  lost('signal-lock-lost', 'job_signal LOCK_LOST', (stream, job) =>
    stream.signal(job, JobSignalKind.LOCK_LOST, { ends: true }),
  ),
  lost('signal-removed', 'job_signal REMOVED', (stream, job) =>
    stream.signal(job, JobSignalKind.REMOVED, { ends: true }),
  ),
  lost('signal-max-lifetime', 'job_signal LOCK_MAX_LIFETIME', (stream, job) =>
    stream.signal(job, JobSignalKind.LOCK_MAX_LIFETIME, { ends: true }),
  ),
  lost('heartbeat-ack-lost', 'A heartbeat_ack that says LOST', (stream, job, stage) => {
    stream.renewals = [{ leaseToken: tokenOf(job), status: LeaseStatus.LOST, lockTtl: undefined }];
    stage.gateway.held.delete(tokenOf(job));
  }),
  cancelled('signal-cancel', 'job_signal CANCEL_REQUESTED', (stream, job) =>
    stream.signal(job, JobSignalKind.CANCEL_REQUESTED, { ends: false }),
  ),
  cancelled('heartbeat-ack-cancel', 'A heartbeat_ack that says CANCEL_REQUESTED', (stream, job) => {
    const status = LeaseStatus.CANCEL_REQUESTED;
    stream.renewals = [{ leaseToken: tokenOf(job), status, lockTtl: undefined }];
  }),
  {
    id: 'recall',
    grade: 'must',
    rule: 'A job that is recalled before its handler has begun is given back by a release.',
    concurrency: 1,
    async play(stage) {
      const stream = await stage.stream();
      const running = await stage.begin(stream, stage.jobs.slow(2_500));
      if (stream.window < 2)
        return 'the worker asks for no more than it can run: nothing to recall';
      const buffered = stage.jobs.slow(100);
      await stream.deliver(buffered);
      await stage.transcript.pause(300);
      stream.signal(buffered, JobSignalKind.RECALL, { ends: false });
      const { value } = await stage.report(buffered);
      const kind = value.outcome?.kind?.$case;
      expectThat(kind === 'release', `the recalled job was reported as ${kind}`);
      await stage.report(running, 2_500 + stage.spans.reactMs);
      return 'given back by a release; the running job went on';
    },
  },
  {
    id: 'recall-begun',
    grade: 'must',
    rule: 'A recall of a job whose handler has begun changes nothing.',
    async play(stage) {
      const stream = await stage.stream();
      const job = await stage.begin(stream, stage.jobs.slow(1_500));
      await stage.transcript.first('progress', { what: 'progress', where: about(job) }, 1_000);
      stream.signal(job, JobSignalKind.RECALL, { ends: false });
      const { value } = await stage.report(job, 1_500 + stage.spans.reactMs);
      const kind = value.outcome?.kind?.$case;
      expectThat(kind === 'complete', `it was reported as ${kind}`);
      return 'it came to its end';
    },
  },
  {
    id: 'signal-stranger',
    grade: 'must',
    rule: 'A signal for a lease that the worker does not hold changes nothing.',
    async play(stage) {
      const stream = await stage.stream();
      const job = await stage.begin(stream, stage.jobs.slow(1_000));
      const stranger = stage.jobs.again(job);
      for (const kind of [JobSignalKind.LOCK_LOST, JobSignalKind.CANCEL_REQUESTED]) {
        stream.signal(stranger, kind, { ends: false });
      }
      const { value } = await stage.report(job, 1_000 + stage.spans.reactMs);
      const kind = value.outcome?.kind?.$case;
      expectThat(kind === 'complete', `the job that it holds was reported as ${kind}`);
      await stage.works(stream);
      return 'a signal with another token of the same job was passed over';
    },
  },
];

/** Does to a job what the case is about. */
type Blow = (stream: RiggedStream, job: DeliveredJob, stage: Stage) => void;

function lost(id: string, what: string, blow: Blow): Case {
  return {
    id,
    grade: 'must',
    rule: `${what} ends the run: the handler is stopped, nothing is reported, other jobs go on.`,
    async play(stage) {
      const stream = await stage.stream();
      const job = await stage.begin(stream, stage.jobs.slow(LONG_MS));
      const other = await stage.begin(stream, stage.jobs.slow(2_000));
      const from = stage.transcript.end;
      blow(stream, job, stage);
      await stage.silentAbout(job, from);
      await stage.report(other, 2_000 + stage.spans.reactMs);
      // A handler that was not stopped would still take its place.
      const all = await stage.runAtOnce(stream, stage.concurrency, 800);
      expectThat(all, 'the lost handler still takes a place: the next jobs ran in turn');
      return `nothing more of ${nameOf(job)}; the other job ended and both slots are in use again`;
    },
  };
}

function cancelled(id: string, what: string, blow: Blow): Case {
  return {
    id,
    grade: 'must',
    rule: `${what} stops the handler, and its end is reported.`,
    async play(stage) {
      const stream = await stage.stream();
      const job = await stage.begin(stream, stage.jobs.slow(LONG_MS));
      blow(stream, job, stage);
      const withinMs = stage.spans.heartbeatMs + stage.spans.reactMs;
      const { value } = await stage.report(job, withinMs);
      const kind = value.outcome?.kind;
      expectThat(kind?.$case === 'fail', `the cancelled job was reported as ${kind?.$case}`);
      await stage.works(stream);
      return `fail "${kind.value.message.slice(0, 80)}", then another job done`;
    },
  };
}
