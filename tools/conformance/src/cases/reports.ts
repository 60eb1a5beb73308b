import { type ErrorReasonName, RetryMode } from '@echomq/proto/messages';
import { seconds } from '../gateway/transcript.js';
import { about, expectResult, expectThat, nameOf, type Stage } from '../stage.js';
import type { Case } from './case.js';

/** How a worker reports, and what it does with the answers. */
export const REPORTS: readonly Case[] = [
  {
    id: 'report-once',
    grade: 'must',
    rule: 'Each job is reported once, by report ids that count up from 1.',
    concurrency: 4,
    async play(stage) {
      const stream = await stage.stream();
      const jobs = Array.from({ length: 20 }, () => stage.jobs.echo());
      for (const job of jobs) await stream.deliver(job);
      for (const job of jobs) await stage.report(job);
      const ids = stage.transcript.all('report').map(({ value }) => value.reportId);
      const wanted = jobs.map((_job, index) => index + 1);
      expectThat(`${ids}` === `${wanted}`, `the report ids are ${ids}`);
      return `${ids.length} jobs, reports 1 to ${ids.at(-1)}`;
    },
  },
  {
    id: 'acked-through',
    grade: 'should',
    rule: 'acked_through follows the answers, so that the gateway can forget them.',
    async play(stage) {
      const stream = await stage.stream();
      for (let done = 0; done < 5; done += 1) await stage.works(stream);
      await stage.transcript.first(
        'heartbeat',
        {
          what: 'heartbeat that acknowledges all five reports',
          where: ({ ackedThrough }) => ackedThrough === 5,
        },
        stage.spans.heartbeatMs * 2,
      );
      return 'five reports, acknowledged by a heartbeat';
    },
  },
  {
    id: 'outcomes',
    grade: 'must',
    rule: 'A result is a complete, an error a fail that leaves the retry to the server.',
    async play(stage) {
      const stream = await stage.stream();
      const first = stage.jobs.flaky(1, 1);
      await stream.deliver(first);
      const { value: failed } = await stage.report(first);
      const kind = failed.outcome?.kind;
      expectThat(kind?.$case === 'fail', `a handler that threw was reported as ${kind?.$case}`);
      expectThat(kind.value.message !== '', 'the failure has no message');
      expectThat(kind.value.retry !== RetryMode.NEVER, 'the worker forbade the retry');
      const second = stage.jobs.again(first, { attempt: 2 });
      await stream.deliver(second);
      const { value: done } = await stage.report(second);
      expectResult(done, { attempts: 2 }, second);
      await stage.works(stream);
      return `fail "${kind.value.message}", then complete`;
    },
  },
  {
    id: 'unknown-job',
    grade: 'must',
    rule: 'A job that no handler knows is reported as failed, and others go on.',
    async play(stage) {
      const stream = await stage.stream();
      const job = stage.jobs.job('conformance-unknown', {});
      await stream.deliver(job);
      const { value } = await stage.report(job);
      const kind = value.outcome?.kind?.$case;
      expectThat(kind === 'fail', `it was reported as ${kind}`);
      await stage.works(stream);
      return 'fail, then another job done';
    },
  },
  {
    id: 'late-ack',
    grade: 'must',
    rule: 'A report whose answer comes late is neither given up nor followed by another one.',
    async play(stage) {
      const { stream, job, ack } = await unanswered(stage);
      await stage.transcript.pause(3_000);
      ack();
      await stage.works(stream);
      expectThat(stage.gateway.attempts === 1, 'the worker opened another stream meanwhile');
      return `${nameOf(job)} answered after 3.0 s, then another job done`;
    },
  },
  {
    id: 'late-ack-no-resend',
    grade: 'should',
    rule: 'A report without an answer is not sent again on the same stream.',
    async play(stage) {
      const { job, ack } = await unanswered(stage);
      const from = stage.transcript.end;
      const again = { what: 'the report came again', where: about(job), from };
      await stage.transcript.never('report', again, 3_000);
      ack();
      await stage.transcript.never('report', again, 500);
      return 'one report in 3.0 s without an answer';
    },
  },
  {
    id: 'ack-lock-lost',
    grade: 'must',
    rule: 'A report refused because the lease is over is final: no other one follows.',
    async play(stage) {
      const stream = await stage.stream();
      for (const reason of ['LOCK_LOST', 'LOCK_NOT_OWNED', 'JOB_NOT_FOUND'] as const) {
        const refused = await refuse(stage, reason);
        await stage.transcript.never(
          'report',
          {
            what: `another report of ${nameOf(refused.job)} after ${reason}`,
            where: about(refused.job),
            from: refused.from,
          },
          stage.spans.watchMs,
        );
      }
      await stage.works(stream);
      return 'three reports refused, none repeated, then a job done';
    },
  },
  {
    id: 'ack-retryable',
    grade: 'must',
    rule: 'A report refused with RetryInfo is sent again under the same id, not before its time.',
    async play(stage) {
      const stream = await stage.stream();
      const retryMs = 700;
      const { job, from, id } = await refuse(stage, 'BACKEND_UNAVAILABLE', retryMs);
      const refusedAt = performance.now();
      const again = await stage.transcript.first(
        'report',
        { what: `second report of ${nameOf(job)}`, where: about(job), from },
        retryMs + stage.spans.reactMs,
      );
      expectThat(again.value.reportId === id, `it came again as ${again.value.reportId}`);
      const afterMs = again.at - refusedAt;
      expectThat(afterMs > retryMs * 0.9, `it came again after ${seconds(afterMs)} already`);
      await stage.works(stream);
      return `sent again as ${id} after ${seconds(afterMs)}`;
    },
  },
  {
    id: 'ack-refused',
    grade: 'should',
    rule: 'A result that the gateway refuses for good becomes a failure with a reason.',
    async play(stage) {
      const stream = await stage.stream();
      const { job, from, id } = await refuse(stage, 'PAYLOAD_TOO_LARGE');
      const again = await stage.transcript.first(
        'report',
        { what: `failure of ${nameOf(job)}`, where: about(job), from },
        stage.spans.reactMs,
      );
      const kind = again.value.outcome?.kind;
      expectThat(kind?.$case === 'fail', `what followed was ${kind?.$case}`);
      expectThat(again.value.reportId > id, 'the failure has the id of the refused report');
      await stage.works(stream);
      return `fail "${kind.value.message.slice(0, 80)}"`;
    },
  },
];

/** A job that was reported, and whose report has no answer until `ack` is called. */
async function unanswered(stage: Stage) {
  const stream = await stage.stream();
  const { onReport } = stage.gateway;
  stage.gateway.onReport = () => undefined;
  const job = stage.jobs.echo();
  await stream.deliver(job);
  const { value } = await stage.report(job);
  stage.gateway.onReport = onReport;
  return { stream, job, ack: () => stream.ack(value) };
}

/** A job whose first report is refused. */
async function refuse(stage: Stage, reason: ErrorReasonName, retryAfterMs?: number) {
  const stream = await stage.stream();
  const { onReport } = stage.gateway;
  const job = stage.jobs.echo();
  stage.gateway.onReport = (on, report) => {
    stage.gateway.onReport = onReport;
    on.refuse(report, reason, retryAfterMs);
  };
  await stream.deliver(job);
  const { value, index } = await stage.report(job);
  return { job, id: value.reportId, from: index + 1 };
}
