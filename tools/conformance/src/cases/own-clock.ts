import { tokenOf } from '../gateway/jobs.js';
import type { RiggedStream } from '../gateway/rigged-stream.js';
import { seconds } from '../gateway/transcript.js';
import { expectThat, nameOf, type Stage } from '../stage.js';
import type { Case } from './case.js';

const LONG_MS = 60_000;
/** A worker looks at its clock now and then. */
const LATE = 1.3;

/** What a worker knows of its leases when nobody tells it. */
export const OWN_CLOCK: readonly Case[] = [
  {
    id: 'own-clock',
    grade: 'should',
    rule: 'A job whose lock may have lapsed while no gateway was there is stopped by the worker itself and not held any more.',
    concurrency: 1,
    async play(stage) {
      const { stream, token } = await accepted(stage);
      const from = stage.transcript.end;
      stage.gateway.crash();
      await stage.transcript.pause(stage.spans.lockMs * LATE);
      await stage.gateway.start();
      const next = await stage.streamAfter(from, stage.spans.reactMs * 4);
      const named = next.open?.held.some(({ leaseToken }) => leaseToken === token);
      expectThat(!named, 'open.held names a job whose lock has lapsed');
      const again = next.open?.worker?.sessionId === stream.open?.worker?.sessionId;
      // At a concurrency of one: its handler has stopped.
      await stage.works(next);
      return `not held after ${seconds(stage.spans.lockMs * LATE)}, in ${again ? 'the same' : 'another'} session, and its slot took another job`;
    },
  },
  {
    id: 'own-clock-unanswered',
    grade: 'should',
    rule: 'The same on a stream that lives, but on which no heartbeat is answered.',
    concurrency: 1,
    async play(stage) {
      const { stream, job, token } = await accepted(stage);
      const from = stage.transcript.end;
      stream.answersHeartbeats = false;
      await stage.transcript.pause(stage.spans.lockMs * LATE);
      stage.gateway.held.delete(token);
      await stage.silentAbout(job, from);
      const on = await after(stage, stream, from);
      on.answersHeartbeats = true;
      await stage.works(on);
      return `${nameOf(job)} was stopped, its slot took another job`;
    },
  },
];

/** A worker whose job is surely accepted, and whose heartbeats were answered. */
async function accepted(stage: Stage) {
  const stream = await stage.stream();
  const job = await stage.begin(stream, stage.jobs.slow(LONG_MS));
  await stage.transcript.pause(stage.spans.heartbeatMs);
  return { stream, job, token: tokenOf(job) };
}

/** The stream, or the one that followed because the worker has left it. */
async function after(stage: Stage, stream: RiggedStream, from: number): Promise<RiggedStream> {
  return stream.over ? stage.streamAfter(from) : stream;
}
