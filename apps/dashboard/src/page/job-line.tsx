import type { JobRow } from './answers.js';
import { ago, moment, span, visible } from './format.js';

/** One job in a list: two lines and a time. */
export function JobLine({ job }: { job: JobRow }) {
  const { id, name, state, failedReason, attemptsMade, attempts, priority } = job;
  const when = timeOf(job);
  return (
    <>
      <i class={`dot ${state}`} aria-hidden="true" />
      <span class="what">
        <b>{name === '' ? '(no name)' : visible(name)}</b>
        <small>{visible(id)}</small>
      </span>
      <span class="why">
        {failedReason !== '' && state !== 'completed' ? visible(failedReason) : factsOf(job)}
      </span>
      <span class="tries" title="attempts made, of how many">
        {attempts > 1 || attemptsMade > 1 ? `${attemptsMade} of ${attempts}` : ''}
        {priority > 0 && <small> p{priority}</small>}
      </span>
      <time title={moment(when)}>{ago(when)}</time>
    </>
  );
}

/** The time that matters where a job is now. */
function timeOf({
  state,
  createdAt,
  processedAt,
  finishedAt,
  delayMs,
}: JobRow): number | undefined {
  if (state === 'delayed')
    return createdAt === undefined ? undefined : (processedAt ?? createdAt) + delayMs;
  if (state === 'active') return processedAt;
  return finishedAt ?? createdAt;
}

function factsOf({ state, processedAt, finishedAt, processedBy, schedulerId }: JobRow): string {
  if (state === 'active') return processedBy === '' ? '' : `held by ${processedBy}`;
  if (finishedAt !== undefined && processedAt !== undefined) {
    return `ran ${span(finishedAt - processedAt)}`;
  }
  return schedulerId === '' ? '' : `from scheduler ${schedulerId}`;
}
