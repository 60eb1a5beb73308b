import { WorkerDirectiveAction } from '@echomq/proto/messages';
import { endOf } from '../gateway/statuses.js';
import { seconds } from '../gateway/transcript.js';
import { expectThat, nameOf, type Stage } from '../stage.js';
import type { Case } from './case.js';

/** What the gateway asks of a worker. */
export const DIRECTIVES: readonly Case[] = [
  {
    id: 'reconnect',
    grade: 'must',
    rule: 'RECONNECT is followed by another stream of the session that holds what runs; work goes on there.',
    async play(stage) {
      const { next, job } = await reconnected(stage);
      const { worker, held, epoch } = next.open ?? {};
      const first = stage.gateway.streams[0];
      const same = worker?.sessionId === first?.open?.worker?.sessionId;
      expectThat(same, 'the new stream belongs to another session');
      expectThat(epoch === 1, `the epoch of the new stream is ${epoch}`);
      const names = held?.some(({ leaseToken }) => leaseToken === job.lease?.leaseToken);
      expectThat(names === true, 'open.held does not name the running job');
      await stage.report(job, 2_500 + stage.spans.reactMs);
      await stage.works(next);
      return `epoch ${epoch}, ${nameOf(job)} held and reported, another job done`;
    },
  },
  {
    id: 'reconnect-moves',
    grade: 'should',
    rule: 'RECONNECT is followed by another connection, so that a balancer can choose another gateway.',
    async play(stage) {
      const { next } = await reconnected(stage);
      const first = stage.gateway.streams[0];
      expectThat(next.peer !== first?.peer, `both streams came from ${next.peer}`);
      return `${first?.peer}, then ${next.peer}`;
    },
  },
  {
    id: 'reconnect-after',
    grade: 'should',
    rule: 'A directive is begun so long after its message as it says.',
    async play(stage) {
      const stream = await stage.stream();
      await stage.works(stream);
      const afterMs = 1_500;
      const from = stage.transcript.end;
      const askedAt = performance.now();
      stream.direct(WorkerDirectiveAction.RECONNECT, afterMs);
      await stage.streamAfter(from, afterMs + stage.spans.reactMs);
      const tookMs = performance.now() - askedAt;
      expectThat(tookMs > afterMs * 0.9, `it moved after ${seconds(tookMs)} already`);
      return `moved ${seconds(tookMs)} after a wish for ${seconds(afterMs)}`;
    },
  },
  {
    id: 'quiet',
    grade: 'must',
    rule: 'QUIET ends nothing: what runs is reported, heartbeats go on, and so does work after the next directive.',
    async play(stage) {
      const stream = await stage.stream();
      const job = await stage.begin(stream, stage.jobs.slow(1_000));
      stream.direct(WorkerDirectiveAction.QUIET);
      await stage.report(job, 1_000 + stage.spans.reactMs);
      const from = stage.transcript.end;
      await stage.transcript.pause(stage.spans.heartbeatMs * 2.5);
      const beats = stage.transcript.all('heartbeat', { from });
      expectThat(beats.length >= 2, `${beats.length} heartbeats in two and a half intervals`);
      expectThat(!stream.over, 'the worker left the stream');
      stream.direct(WorkerDirectiveAction.UNSPECIFIED);
      await stage.works(stream);
      return 'the running job was reported, the stream stayed, work went on';
    },
  },
  {
    id: 'quiet-window',
    grade: 'should',
    rule: 'QUIET closes the window, and the directive to go on opens it again.',
    async play(stage) {
      const stream = await stage.stream();
      await stage.works(stream);
      const window = stream.window;
      const windowIs = (wanted: number, from: number) =>
        stage.transcript.first(
          'window',
          { what: `window of ${wanted}`, from, where: ({ maxInFlight }) => maxInFlight === wanted },
          stage.spans.reactMs,
        );
      const asked = stage.transcript.end;
      stream.direct(WorkerDirectiveAction.QUIET);
      await windowIs(0, asked);
      const again = stage.transcript.end;
      stream.direct(WorkerDirectiveAction.UNSPECIFIED);
      await windowIs(window, again);
      return `window ${window}, then 0, then ${window}`;
    },
  },
  {
    id: 'drain-directive',
    grade: 'must',
    rule: 'After DRAIN what runs is finished and reported, the stream is left by drain and half-close, and another is tried.',
    async play(stage) {
      const stream = await stage.stream();
      const job = await stage.begin(stream, stage.jobs.slow(1_500));
      // As a gateway does that is about to leave.
      stage.gateway.admit = () => endOf('GATEWAY_DRAINING', 500);
      stream.direct(WorkerDirectiveAction.DRAIN);
      const { stream: on } = await stage.report(job, 1_500 + stage.spans.reactMs);
      expectThat(on === stream.number, 'the report came on another stream');
      const { number } = stream;
      await stage.transcript.first(
        'halfClosed',
        { what: 'half-close of the stream', stream: number },
        stage.spans.reactMs,
      );
      const drains = stage.transcript.all('drain', { stream: number });
      expectThat(drains.length === 1, `${drains.length} drain messages before the half-close`);
      const from = stage.transcript.end;
      stage.gateway.admit = () => undefined;
      const next = await stage.streamAfter(from, 10_000 + stage.spans.reactMs);
      await stage.works(next);
      return `${nameOf(job)} reported, drain, half-close, then another stream`;
    },
  },
];

/** A worker with a running job that has followed RECONNECT, on a connection that is no longer new. */
async function reconnected(stage: Stage) {
  const stream = await stage.stream();
  await stage.transcript.pause(1_500);
  const job = await stage.begin(stream, stage.jobs.slow(2_500));
  const from = stage.transcript.end;
  stream.direct(WorkerDirectiveAction.RECONNECT);
  return { job, next: await stage.streamAfter(from) };
}
