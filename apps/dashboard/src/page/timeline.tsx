import type { JobDetail } from './answers.js';
import { ago, moment, span } from './format.js';

interface Stop {
  readonly word: string;
  readonly at: number | undefined;
  readonly note: string;
  readonly kind: string;
}

/** What happened to a job, and when. */
export function Timeline({ job }: { job: JobDetail }) {
  return (
    <ol class="timeline">
      {stopsOf(job).map(({ word, at, note, kind }) => (
        <li key={word}>
          <i class={`dot ${kind}`} aria-hidden="true" />
          <span>
            {word} <small>{note}</small>
          </span>
          <time title={moment(at)}>
            {moment(at)} <small>{ago(at)}</small>
          </time>
        </li>
      ))}
    </ol>
  );
}

function stopsOf(job: JobDetail): Stop[] {
  const { createdAt, processedAt, finishedAt, state, delayMs } = job;
  const added = { word: 'Added', at: createdAt, note: originOf(job), kind: 'waiting' };
  const stops: Stop[] = [added];
  if (state === 'delayed' && createdAt !== undefined) {
    const due = (processedAt ?? createdAt) + delayMs;
    stops.push({ word: 'Due', at: due, note: `delayed by ${span(delayMs)}`, kind: 'delayed' });
  }
  if (processedAt !== undefined) {
    const waited =
      createdAt === undefined ? '' : `${span(processedAt - createdAt)} after it was added`;
    stops.push({ word: 'Last run began', at: processedAt, note: waited, kind: 'active' });
  }
  if (finishedAt !== undefined) {
    const ran = processedAt === undefined ? '' : `ran ${span(finishedAt - processedAt)}`;
    const kind = state === 'failed' ? 'failed' : 'completed';
    stops.push({
      word: state === 'failed' ? 'Failed' : 'Completed',
      at: finishedAt,
      note: ran,
      kind,
    });
  }
  const runs = runsOf(job);
  return runs === '' ? stops : [...stops.slice(0, -1), withNote(stops.at(-1) ?? added, runs)];
}

const withNote = (stop: Stop, note: string): Stop => ({
  ...stop,
  note: [stop.note, note].filter(Boolean).join(' · '),
});

function originOf({ schedulerId, deduplicationId, priority }: JobDetail): string {
  return [
    schedulerId && `by scheduler ${schedulerId}`,
    priority > 0 && `priority ${priority}`,
    deduplicationId && `deduplicated as ${deduplicationId}`,
  ]
    .filter(Boolean)
    .join(' · ');
}

function runsOf({ attemptsMade, attempts, stalledCount, processedBy }: JobDetail): string {
  return [
    attemptsMade > 0 && `attempt ${attemptsMade} of ${Math.max(attempts, attemptsMade)}`,
    stalledCount > 0 && `stalled ${stalledCount} times`,
    processedBy && `by ${processedBy}`,
  ]
    .filter(Boolean)
    .join(' · ');
}
