import type { Schedulers } from './answers.js';
import type { Shown } from './ask.js';
import { useDesk } from './desk.js';
import { ago, count, moment, span } from './format.js';
import { queueHref } from './route.js';

interface Props {
  readonly queue: string;
  readonly shown: Shown['schedulers'];
  readonly mayChange: boolean | undefined;
  readonly after: () => void;
}

/** The schedulers of a queue. */
export function SchedulersTab({ queue, shown, mayChange, after }: Props) {
  const { value, error } = shown ?? {};
  if (error) {
    return (
      <p class="problem" role="alert">
        {error.message} <small>{error.reason}</small>
      </p>
    );
  }
  if (!value) return <p class="empty">Reading…</p>;
  if (value.schedulers.length === 0) return <p class="empty">This queue has no schedulers.</p>;
  return (
    <div class="card scroll">
      <table>
        <thead>
          <tr>
            <th>Scheduler</th>
            <th>When</th>
            <th>Next run</th>
            <th class="number">Runs</th>
            {mayChange && <th />}
          </tr>
        </thead>
        <tbody>
          {value.schedulers.map((one) => (
            <tr key={one.id}>
              <th scope="row">
                {one.id} {one.jobName !== one.id && <small>adds {one.jobName}</small>}
              </th>
              <td>
                {when(one)}{' '}
                {one.limit !== undefined && <small>at most {count(one.limit)} times</small>}
              </td>
              <td>
                <a href={queueHref(queue, 'delayed', one.nextJobId)} title={moment(one.nextRun)}>
                  {ago(one.nextRun)}
                </a>
              </td>
              <td class="number">{count(one.iterations)}</td>
              {mayChange && (
                <td class="number">
                  <RemoveScheduler queue={queue} id={one.id} after={after} />
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
      {value.total > value.schedulers.length && (
        <p class="foot">
          {count(value.schedulers.length)} of {count(value.total)}, the next to run first
        </p>
      )}
    </div>
  );
}

function when({ everyMs, cron, timeZone }: Schedulers['schedulers'][number]) {
  if (everyMs !== undefined) return `every ${span(everyMs)}`;
  return (
    <>
      <code>{cron}</code> <small>{timeZone || 'UTC'}</small>
    </>
  );
}

function RemoveScheduler({ queue, id, after }: { queue: string; id: string; after: () => void }) {
  const desk = useDesk();
  return (
    <button
      type="button"
      class="quiet"
      onClick={() =>
        desk.confirm({
          title: `Remove the scheduler ${id}?`,
          text: 'And its next job. It makes no further ones.',
          yes: 'Remove',
          danger: true,
          onYes: () => {
            const body = { queue, schedulerId: id };
            void desk.change('removeScheduler', body, { done: 'Removed', after });
          },
        })
      }
    >
      Remove…
    </button>
  );
}
