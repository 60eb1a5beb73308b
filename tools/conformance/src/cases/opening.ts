import { seconds } from '../gateway/transcript.js';
import { expectThat } from '../stage.js';
import type { Case } from './case.js';

/** How a worker introduces itself, and stays. */
export const OPENING: readonly Case[] = [
  {
    id: 'open-first',
    grade: 'must',
    rule: 'A stream begins with one open: a session id, epoch 0, the queue, nothing held.',
    async play(stage) {
      const stream = await stage.stream();
      const { worker, epoch, subscriptions, held, ackedThrough } = stream.open ?? {};
      expectThat(!!worker?.sessionId, 'open.worker.session_id is empty');
      expectThat(!!worker?.workerId, 'open.worker.worker_id is empty');
      expectThat(epoch === 0, `the first epoch is ${epoch}`);
      const queues = subscriptions?.map(({ queue }) => queue).join(', ');
      expectThat(queues === stage.gateway.queue, `the subscriptions are: ${queues || 'none'}`);
      expectThat(held?.length === 0, 'the first open names held jobs');
      expectThat(ackedThrough === 0, 'the first open acknowledges reports');
      await stage.works(stream);
      return `open of session ${worker?.sessionId}, then a job done`;
    },
  },
  {
    id: 'open-says-who',
    grade: 'should',
    rule: 'The open says the concurrency (load.capacity), the library and a name for people.',
    concurrency: 3,
    async play(stage) {
      const { open } = await stage.stream();
      const capacity = open?.load?.capacity;
      expectThat(capacity === 3, `open.load.capacity is ${capacity}, the concurrency is 3`);
      const { sdk, name } = open?.worker ?? {};
      expectThat(!!sdk?.language && !!sdk.version, 'open.worker.sdk has no language or version');
      expectThat(!!name, 'open.worker.name is empty');
      return `capacity ${capacity}, ${sdk?.language} ${sdk?.version}, "${name}"`;
    },
  },
  {
    id: 'session-is-new',
    grade: 'must',
    rule: 'A worker that is started again has another session id, and epoch 0.',
    async play(stage) {
      const { open: first } = await stage.stream();
      stage.mayExit = true;
      await stage.worker.kill();
      const from = stage.transcript.end;
      stage.startWorker();
      const { open: second } = await stage.streamAfter(from, stage.spans.startMs);
      const [before, after] = [first?.worker?.sessionId, second?.worker?.sessionId];
      expectThat(before !== after, `both processes use session ${before}`);
      expectThat(second?.epoch === 0, `the second process begins with epoch ${second?.epoch}`);
      return 'two processes, two sessions';
    },
  },
  {
    id: 'idle',
    grade: 'must',
    rule: 'A worker without jobs stays on its stream and sends a heartbeat within each interval.',
    async play(stage) {
      const stream = await stage.stream();
      const from = stage.transcript.end;
      const { heartbeatMs } = stage.spans;
      await stage.transcript.pause(heartbeatMs * 4.5);
      const beats = stage.transcript.all('heartbeat', { from, stream: stream.number });
      expectThat(beats.length >= 3, `${beats.length} heartbeats in four intervals`);
      expectThat(stage.gateway.attempts === 1, `${stage.gateway.attempts} streams were opened`);
      await stage.works(stream);
      return `${beats.length} heartbeats in ${seconds(heartbeatMs * 4.5)}, then a job done`;
    },
  },
  {
    id: 'window-full',
    grade: 'must',
    rule: 'Of a full window no more handlers run than the concurrency, and every job comes to its end.',
    async play(stage) {
      const stream = await stage.stream();
      expectThat(stream.window >= 1, 'the first window is 0');
      const window = Math.min(stream.window, 1_000);
      const jobs = Array.from({ length: window }, () => stage.jobs.slow(1_200));
      await stream.deliver(...jobs);
      const waitMs = stage.spans.reactMs * (1 + window / stage.concurrency);
      for (const job of jobs) await stage.report(job, waitMs);
      let most = 0;
      for (const { value } of stage.transcript.all('heartbeat')) {
        most = Math.max(most, value.load?.running ?? 0);
      }
      expectThat(most <= stage.concurrency, `${most} handlers ran at once`);
      return `window ${window}, ${jobs.length} jobs reported, at most ${most} at once`;
    },
  },
  {
    id: 'runs-at-once',
    grade: 'should',
    rule: 'As many handlers run at once as the concurrency says.',
    concurrency: 4,
    async play(stage) {
      const stream = await stage.stream();
      const all = await stage.runAtOnce(stream, 4, 1_000);
      expectThat(all, 'the first of four jobs had ended before the last one began');
      return 'four jobs at once';
    },
  },
];
