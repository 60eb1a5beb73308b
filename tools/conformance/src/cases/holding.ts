import { tokenOf } from '../gateway/jobs.js';
import { digestOf } from '../gateway/standing-rules.js';
import { type Entry, seconds } from '../gateway/transcript.js';
import { about, expectThat, nameOf } from '../stage.js';
import type { Case } from './case.js';

/** How a worker says what it holds. */
export const HOLDING: readonly Case[] = [
  {
    id: 'accept',
    grade: 'must',
    rule: 'A heartbeat accepts a delivery within accept_timeout, and before the handler is heard of.',
    async play(stage) {
      const stream = await stage.stream();
      const job = stage.jobs.slow(2_000);
      await stream.deliver(job);
      const deliveredAt = performance.now();
      const { acceptMs } = stage.spans;
      const named = await stage.running(job, acceptMs);
      const progress = stage.transcript.all('progress', { where: about(job) })[0];
      const early = progress !== undefined && progress.index < named.index;
      expectThat(!early, 'progress came before the heartbeat that says that the job runs');
      await stage.report(job, 2_000 + stage.spans.reactMs);
      return `named as running after ${seconds(named.at - deliveredAt)}`;
    },
  },
  {
    id: 'heartbeats',
    grade: 'must',
    rule: 'While a handler runs, each interval has a heartbeat that names exactly what is held.',
    async play(stage) {
      const stream = await stage.stream();
      const { heartbeatMs, reactMs } = stage.spans;
      const ms = heartbeatMs * 4;
      const job = await stage.begin(stream, stage.jobs.slow(ms));
      const from = stage.transcript.all('heartbeat').at(-1)?.index ?? 0;
      const report = await stage.report(job, ms + reactMs);
      const during = stage.transcript
        .all('heartbeat', { from })
        .filter(({ index }) => index <= report.index);
      const marks = [...during.map(({ at }) => at), report.at];
      const gaps = marks.slice(1).map((at, index) => at - (marks[index] ?? at));
      const longest = Math.max(...gaps);
      expectThat(
        longest <= heartbeatMs * 1.4,
        `${seconds(longest)} without a heartbeat, the interval is ${seconds(heartbeatMs)}`,
      );
      const wrong = during.find((beat) => !holdsOnly(beat, tokenOf(job)));
      expectThat(!wrong, `a heartbeat does not say that ${nameOf(job)} is all that is held`);
      await stage.transcript.first(
        'heartbeat',
        {
          what: 'heartbeat that says that nothing is held',
          from: report.index,
          where: holdsNothing,
        },
        heartbeatMs * 2,
      );
      return `${during.length} heartbeats, at most ${seconds(longest)} apart, then an empty one`;
    },
  },
  {
    id: 'progress',
    grade: 'should',
    rule: 'Progress and log lines go out while the job runs, with its lease; progress is JSON.',
    async play(stage) {
      const stream = await stage.stream();
      const job = await stage.begin(stream, stage.jobs.slow(800));
      const report = await stage.report(job, 800 + stage.spans.reactMs);
      const said = stage.transcript.all('progress', { where: about(job) });
      const called = stage.transcript.all('call', {
        where: ({ method, token }) => method === 'UpdateProgress' && token === tokenOf(job),
      });
      expectThat(said.length + called.length > 0, 'no progress of a job that reports ten times');
      for (const { value, index } of said) {
        const text = value.progress.toString();
        expectThat(isJson(text), `progress that is no JSON: ${text.slice(0, 100)}`);
        expectThat(index < report.index, 'progress after the report');
      }
      return `${said.length} on the stream, ${called.length} by calls`;
    },
  },
];

/** Whether a heartbeat says that this job is all that is held, in full or by digest. */
function holdsOnly({ value: { holdings } }: Entry<'heartbeat'>, leaseToken: string): boolean {
  if (holdings?.$case === 'held') {
    const [only, ...more] = holdings.value.jobs;
    return more.length === 0 && only?.leaseToken === leaseToken;
  }
  if (holdings?.$case !== 'unchanged') return false;
  const { digest, count } = holdings.value;
  return count === 1 && digestOf([{ leaseToken, running: true }]).equals(digest);
}

function holdsNothing({ holdings }: Entry<'heartbeat'>['value']): boolean {
  if (holdings?.$case === 'held') return holdings.value.jobs.length === 0;
  return holdings?.$case === 'unchanged' && holdings.value.count === 0;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
