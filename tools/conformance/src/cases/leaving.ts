import { seconds } from '../gateway/transcript.js';
import { expectThat, nameOf, type Stage } from '../stage.js';
import type { Case } from './case.js';

/** How a worker ends. */
export const LEAVING: readonly Case[] = [
  {
    id: 'sigterm',
    grade: 'must',
    rule: 'On SIGTERM a worker takes no more, finishes and reports what runs, sends drain, closes its side and exits with 0.',
    async play(stage) {
      const stream = await stage.stream();
      const job = await stage.begin(stream, stage.jobs.slow(2_000));
      terminate(stage);
      const { index } = await stage.report(job, 2_000 + stage.spans.reactMs);
      await leftWell(stage);
      const asked = stage.transcript.all('window', {
        from: index,
        where: ({ maxInFlight }) => maxInFlight > 0,
      });
      expectThat(asked.length === 0, 'the worker asked for more jobs on its way out');
      return `${nameOf(job)} reported, drain, half-close, exit 0`;
    },
  },
  {
    id: 'sigterm-stops-intake',
    grade: 'must',
    rule: 'On SIGTERM the window is closed, or drain sent, at once: not only when the last job has ended.',
    async play(stage) {
      const stream = await stage.stream();
      const job = await stage.begin(stream, stage.jobs.slow(2_500));
      const from = stage.transcript.end;
      terminate(stage);
      await stage.transcript.pause(1_000);
      const closed =
        stage.transcript.all('window', { from, where: ({ maxInFlight }) => maxInFlight === 0 })
          .length + stage.transcript.all('drain', { from }).length;
      expectThat(closed > 0, 'a second later the window was still open and no drain was sent');
      await stage.report(job, 2_500 + stage.spans.reactMs);
      await leftWell(stage);
      return 'window 0 or drain within a second';
    },
  },
  {
    id: 'sigterm-idle',
    grade: 'must',
    rule: 'On SIGTERM a worker without jobs sends drain, closes its side and exits with 0.',
    async play(stage) {
      await stage.works(await stage.stream());
      terminate(stage);
      const startedAt = performance.now();
      await leftWell(stage);
      return `drain, half-close, exit 0 after ${seconds(performance.now() - startedAt)}`;
    },
  },
  {
    id: 'sigterm-unanswered',
    grade: 'must',
    rule: 'On SIGTERM a worker stays until its reports are answered.',
    async play(stage) {
      const stream = await stage.stream();
      stage.gateway.onReport = () => undefined;
      const job = stage.jobs.echo();
      await stream.deliver(job);
      const { value } = await stage.report(job);
      terminate(stage);
      await stage.transcript.pause(1_000);
      expectThat(!stage.worker.exit, 'it ended while its report had no answer');
      stream.ack(value);
      stream.endIfDone();
      await leftWell(stage);
      return 'it stayed for the answer, then drain, half-close, exit 0';
    },
  },
];

function terminate(stage: Stage): void {
  stage.mayExit = true;
  stage.worker.terminate();
}

/** The last stream was left by drain and half-close, in this order, and the process ended with 0. */
async function leftWell(stage: Stage): Promise<void> {
  const { code, signal } = await stage.exit(stage.spans.reactMs * 3);
  expectThat(code === 0, `the worker ended with ${signal ?? code}`);
  const drain = stage.transcript.all('drain').at(-1);
  const closed = stage.transcript.all('halfClosed').at(-1);
  expectThat(drain !== undefined, 'no drain was sent');
  expectThat(closed !== undefined, 'the worker broke the stream instead of closing its side');
  expectThat(drain.index < closed.index, 'drain came after the half-close');
}
