import { WorkerDirectiveAction } from '@echomq/proto/messages';
import { status } from '@grpc/grpc-js';
import type { RiggedStream } from '../gateway/rigged-stream.js';
import { bareEnd, endOf } from '../gateway/statuses.js';
import { about, expectThat, nameOf, type Stage } from '../stage.js';
import type { Case } from './case.js';

/** How a worker goes from one stream to another that is to follow it. */
export const MOVING: readonly Case[] = [
  {
    id: 'reconnect-overlap',
    grade: 'should',
    rule: 'At RECONNECT the old stream serves what is held, with heartbeats and reports, until the new one is open; then it is left.',
    async play(stage) {
      const { stream, job, from } = await asked(stage, { ms: 1_200 });
      let held: RiggedStream | undefined;
      stage.gateway.onOpen = (on) => {
        held = on;
      };
      const next = await stage.streamAfter(from);
      const opened = stage.transcript.end;
      expectThat(!stream.over, 'the old stream was left before the new one was asked for');
      // The new stream is slow to answer; a whole interval passes.
      await stage.transcript.first(
        'heartbeat',
        { what: 'heartbeat on the old stream', stream: stream.number, from: opened },
        stage.spans.heartbeatMs + stage.spans.reactMs,
      );
      const { stream: on } = await stage.report(job, 1_200 + stage.spans.reactMs);
      expectThat(on === stream.number, 'the report did not come on the old stream');
      expectThat(!stream.over, 'the old stream was left before the new one was open');
      held?.accept();
      const left = await stage.transcript.until(() => stream.over, stage.spans.reactMs);
      expectThat(left, 'the old stream was not left');
      await stage.works(next);
      return `${nameOf(job)} was reported on the old stream, which was left when the new one was open`;
    },
  },
  {
    id: 'reconnect-refused',
    grade: 'should',
    rule: 'Where no other stream is to be had, the old one goes on, and the move is tried again.',
    async play(stage) {
      const refusedFrom = 2;
      stage.gateway.admit = (attempt) =>
        attempt >= refusedFrom ? bareEnd(status.UNAVAILABLE) : undefined;
      const { stream, job, from } = await asked(stage, { ms: 1_200 });
      await stage.transcript.first(
        'attempt',
        { what: 'another stream', from },
        stage.spans.reactMs,
      );
      const { stream: on } = await stage.report(job, 1_200 + stage.spans.reactMs);
      expectThat(on === stream.number, 'the report did not come on the old stream');
      expectThat(!stream.over, 'the old stream was left for one that was refused');
      stage.gateway.admit = () => undefined;
      const next = await stage.streamAfter(stage.transcript.end, 10_000 + stage.spans.reactMs);
      await stage.works(next);
      return `${stage.gateway.attempts} streams were asked for; ${nameOf(job)} was reported on the first`;
    },
  },
  {
    id: 'reconnect-superseded',
    grade: 'must',
    rule: 'A move to the same gateway ends the old stream with SESSION_SUPERSEDED; the session goes on.',
    async play(stage) {
      const { stream, job, from } = await asked(stage, { ms: 2_500 });
      stage.gateway.onOpen = (on) => {
        stream.end(endOf('SESSION_SUPERSEDED'));
        setTimeout(() => on.accept(), 300);
      };
      const next = await stage.streamAfter(from);
      const more = { what: 'a third stream', from: stage.transcript.end };
      await stage.report(job, 2_500 + stage.spans.reactMs);
      await stage.works(next);
      await stage.transcript.never('open', more, stage.spans.watchMs);
      const reports = stage.transcript.all('report', { where: about(job) });
      expectThat(reports.at(-1)?.stream === next.number, 'the report is not on the new stream');
      return `${nameOf(job)} was reported on the new stream, and no third one came`;
    },
  },
];

/** A worker with a job that runs for so long, and that was asked to move. */
async function asked(stage: Stage, { ms }: { readonly ms: number }) {
  const stream = await stage.stream();
  await stage.works(stream);
  const job = await stage.begin(stream, stage.jobs.slow(ms));
  const from = stage.transcript.end;
  stream.direct(WorkerDirectiveAction.RECONNECT);
  return { stream, job, from };
}
