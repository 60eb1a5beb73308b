import type { DeliveredJob } from '@echomq/proto/messages';
import { status } from '@grpc/grpc-js';
import { tokenOf } from '../gateway/jobs.js';
import type { RiggedStream } from '../gateway/rigged-stream.js';
import { bareEnd, endOf } from '../gateway/statuses.js';
import { seconds, type ValueOf } from '../gateway/transcript.js';
import { about, expectThat, nameOf, type Stage } from '../stage.js';
import type { Case } from './case.js';

const LONG_MS = 60_000;

/** What a worker keeps over broken streams. */
export const RECONNECTING: readonly Case[] = [
  {
    id: 'dropped-stream',
    grade: 'must',
    rule: 'After a broken stream the session goes on within resume_ttl: same ids, epoch + 1, what runs is held, and it runs on.',
    async play(stage) {
      const stream = await stage.stream();
      const job = await stage.begin(stream, stage.jobs.slow(3_000));
      await stage.transcript.first('progress', { what: 'progress', where: atTwenty(job) }, 2_000);
      const next = await stage.dropped(stream);
      await stage.report(job, 3_000 + stage.spans.reactMs);
      const progress = stage.transcript.all('progress', { where: about(job) });
      const shares = progress.map(({ value }) => Number(value.progress.toString()));
      const restarted = shares.some((share, index) => share < (shares[index - 1] ?? 0));
      expectThat(!restarted, `the handler began anew: its progress was ${shares.join(', ')}`);
      await stage.works(next);
      return `epoch ${next.open?.epoch}, ${nameOf(job)} held and reported on the new stream`;
    },
  },
  {
    id: 'unanswered-report',
    grade: 'must',
    rule: 'A report without an answer is sent again on the next stream, unchanged and under the same id.',
    async play(stage) {
      const stream = await stage.stream();
      await stage.works(stream);
      const { onReport } = stage.gateway;
      stage.gateway.onReport = () => undefined;
      const job = stage.jobs.echo();
      await stream.deliver(job);
      const { value: first } = await stage.report(job);
      stage.gateway.onReport = onReport;
      const from = stage.transcript.end;
      await stage.dropped(stream);
      const again = await stage.transcript.first(
        'report',
        { what: `second report of ${nameOf(job)}`, where: about(job), from },
        stage.spans.reactMs,
      );
      const { reportId } = again.value;
      expectThat(reportId === first.reportId, `it came as ${reportId}, not ${first.reportId}`);
      const more = { what: 'a third one', where: about(job), from: again.index + 1 };
      await stage.transcript.never('report', more, stage.spans.watchMs);
      return `report ${reportId} on both streams, once on each`;
    },
  },
  {
    id: 'rejected-lease',
    grade: 'must',
    rule: 'A lease that the gateway rejects at a reconnect is over: the handler is stopped, nothing is reported.',
    concurrency: 1,
    async play(stage) {
      const stream = await stage.stream();
      const job = await stage.begin(stream, stage.jobs.slow(LONG_MS));
      stage.gateway.onOpen = (on) => on.accept({ without: [job] });
      const from = stage.transcript.end;
      const next = await stage.dropped(stream);
      await stage.silentAbout(job, from);
      await stage.works(next);
      return `nothing more of ${nameOf(job)}, and its slot took another job`;
    },
  },
  {
    id: 'redelivery',
    grade: 'must',
    rule: 'A job that comes again with another token is another run: the old one is dropped, only the new one is reported.',
    async play(stage) {
      const stream = await stage.stream();
      const old = await stage.begin(stream, stage.jobs.slow(LONG_MS));
      stage.gateway.onOpen = (on) => on.accept({ without: [old] });
      const from = stage.transcript.end;
      const next = await stage.dropped(stream);
      const again = stage.jobs.again(old, { data: Buffer.from('{"ms":300}') });
      await next.deliver(again);
      await stage.report(again, 300 + stage.spans.reactMs);
      await stage.silentAbout(old, from);
      return `token ${tokenOf(again)} reported, ${tokenOf(old)} not`;
    },
  },
  {
    id: 'redelivery-while-running',
    grade: 'must',
    rule: 'A job that comes again while its former run is still in hand is kept apart from it by its token.',
    async play(stage) {
      const stream = await stage.stream();
      const old = await stage.begin(stream, stage.jobs.slow(1_500));
      const again = stage.jobs.again(old, { data: Buffer.from('{"ms":200}') });
      await stream.deliver(again);
      const { onReport } = stage.gateway;
      stage.gateway.onReport = (on, report) => {
        if (about(old)(report)) on.refuse(report, 'LOCK_NOT_OWNED');
        else onReport(on, report);
      };
      await stage.report(again, 200 + stage.spans.reactMs);
      await stage.report(old, 1_500 + stage.spans.reactMs);
      await stage.works(stream);
      return 'each run reported under its own token, the old one refused';
    },
  },
  {
    id: 'session-over',
    grade: 'must',
    rule: 'After WORKER_UNRESPONSIVE or SESSION_SUPERSEDED a new session begins: another id, epoch 0, reports from 1.',
    async play(stage) {
      let stream = await stage.stream();
      await stage.works(stream);
      const seen: string[] = [];
      for (const reason of ['WORKER_UNRESPONSIVE', 'SESSION_SUPERSEDED'] as const) {
        const before = stream.open?.worker?.sessionId;
        const from = stage.transcript.end;
        stream.end(endOf(reason));
        stream = await stage.streamAfter(from);
        const { worker, epoch } = stream.open ?? {};
        expectThat(worker?.sessionId !== before, `${reason} was followed by the same session`);
        expectThat(epoch === 0, `the new session began with epoch ${epoch}`);
        await stage.works(stream);
        const first = stage.transcript.all('report', { from })[0]?.value.reportId;
        expectThat(first === 1, `the first report of the new session is ${first}`);
        seen.push(reason);
      }
      return `a new session after ${seen.join(' and after ')}`;
    },
  },
  {
    id: 'stopped-process',
    grade: 'must',
    rule: 'A worker that slept through the end of its session begins a new one and drops what it lost.',
    concurrency: 1,
    async play(stage) {
      const stream = await stage.stream();
      const job = await stage.begin(stream, stage.jobs.slow(LONG_MS));
      stage.worker.stop();
      await stage.transcript.pause(stage.spans.livenessMs * 1.2);
      stage.gateway.held.delete(tokenOf(job));
      const from = stage.transcript.end;
      stream.end(endOf('WORKER_UNRESPONSIVE'));
      stage.worker.resume();
      const next = await stage.streamAfter(from, stage.spans.reactMs * 3);
      expectThat(next.open?.epoch === 0, `the next stream has epoch ${next.open?.epoch}`);
      await stage.silentAbout(job, from);
      await stage.works(next);
      return `a new session, nothing more of ${nameOf(job)}, another job done`;
    },
  },
  {
    id: 'silence',
    grade: 'must',
    rule: 'A stream on which the gateway says nothing for two and a half keepalive intervals is left for another.',
    async play(stage) {
      const stream = await stage.stream();
      await stage.works(stream);
      stream.silent = true;
      const from = stage.transcript.end;
      const silentAt = performance.now();
      const { keepaliveMs, reactMs } = stage.spans;
      const next = await stage.streamAfter(from, keepaliveMs * 2.5 + reactMs);
      const afterMs = performance.now() - silentAt;
      // The last word was a moment before the silence began.
      expectThat(afterMs > keepaliveMs * 1.5, `it was left after ${seconds(afterMs)} already`);
      expectThat(next.open?.epoch === 1, `the next stream has epoch ${next.open?.epoch}`);
      await stage.works(next);
      return `another stream after ${seconds(afterMs)}, the interval is ${seconds(keepaliveMs)}`;
    },
  },
  {
    id: 'gateway-restart',
    grade: 'must',
    rule: 'A gateway that dies and comes back finds the worker again, with what it holds.',
    async play(stage) {
      const stream = await stage.stream();
      const job = await stage.begin(stream, stage.jobs.slow(4_000));
      // Long enough that the worker knows its job to be accepted.
      await stage.transcript.pause(stage.spans.heartbeatMs);
      const from = stage.transcript.end;
      stage.gateway.crash();
      await stage.transcript.pause(500);
      await stage.gateway.start();
      const next = await stage.streamAfter(from, stage.spans.reactMs * 3);
      expectHeld(next, stage, tokenOf(job));
      await stage.report(job, 4_000 + stage.spans.reactMs);
      await stage.works(next);
      return `back with epoch ${next.open?.epoch}, ${nameOf(job)} held and reported`;
    },
  },
  ended('ends-unavailable', 'UNAVAILABLE', (stream) => stream.end(bareEnd(status.UNAVAILABLE))),
  ended('ends-internal', 'INTERNAL', (stream) => stream.end(bareEnd(status.INTERNAL))),
  ended('ends-cancelled', 'CANCELLED', (stream) => stream.end(bareEnd(status.CANCELLED))),
  ended('ends-ok', 'OK without a drain of the worker', (stream) => stream.end()),
  ended('ends-goaway', 'a GOAWAY and a cut connection', (_stream, stage) => stage.gateway.goAway()),
];

/** The stream ends in a certain way; the worker goes on as after any other broken stream. */
function ended(id: string, how: string, end: (stream: RiggedStream, stage: Stage) => void): Case {
  return {
    id,
    grade: 'must',
    rule: `A stream that ends with ${how} is followed by another one of the same session.`,
    async play(stage) {
      const stream = await stage.stream();
      const job = await stage.begin(stream, stage.jobs.slow(2_500));
      const from = stage.transcript.end;
      end(stream, stage);
      const next = await stage.streamAfter(from, stage.spans.reactMs * 2);
      expectHeld(next, stage, tokenOf(job));
      await stage.report(job, 2_500 + stage.spans.reactMs);
      await stage.works(next);
      return `epoch ${next.open?.epoch} with the running job, which was reported`;
    },
  };
}

/** The second time that a `slow` job says how far it is. */
function atTwenty(job: DeliveredJob) {
  return (progress: ValueOf<'progress'>) =>
    about(job)(progress) && progress.progress.toString() === '20';
}

function expectHeld(next: RiggedStream, stage: Stage, token: string): void {
  const { worker, held, epoch = 0 } = next.open ?? {};
  const before = stage.gateway.streams[0]?.open?.worker?.sessionId;
  expectThat(worker?.sessionId === before, 'the new stream belongs to another session');
  expectThat(epoch > 0, `the epoch of the new stream is ${epoch}`);
  const names = held?.some(({ leaseToken }) => leaseToken === token);
  expectThat(names === true, 'open.held does not name the running job');
}
