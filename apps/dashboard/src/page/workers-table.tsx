import type { Shown } from './ask.js';
import { ago, count, moment, visible } from './format.js';
import { queueHref } from './route.js';

/** Jobs of one worker that are named at once. */
const NAMED = 8;

/** Who works, and what they hold. */
export function WorkersTable({ shown }: { shown: Shown['workers'] }) {
  const { value, error } = shown ?? {};
  if (error) {
    return (
      <p class="problem" role="alert">
        {error.message} <small>{error.reason}</small>
      </p>
    );
  }
  if (!value) return <p class="empty">Reading…</p>;
  if (value.workers.length === 0) return <p class="empty">Nobody works here now.</p>;
  return (
    <div class="card scroll">
      <table>
        <thead>
          <tr>
            <th>Worker</th>
            <th>Queues</th>
            <th class="number">Busy</th>
            <th>Holds</th>
            <th>Since</th>
            <th>Heard</th>
          </tr>
        </thead>
        <tbody>
          {value.workers.map((worker) => (
            <tr key={worker.session}>
              <th scope="row">
                {worker.name}{' '}
                <small>
                  {[worker.host, worker.pid > 0 && `pid ${worker.pid}`, worker.sdk]
                    .filter(Boolean)
                    .join(' · ')}
                </small>
              </th>
              <td>
                {worker.queues.map((queue) => (
                  <a key={queue} class="item" href={queueHref(queue, 'active')}>
                    {visible(queue)}
                  </a>
                ))}
              </td>
              <td class="number">
                {worker.capacity === 0
                  ? ''
                  : `${count(worker.running)} of ${count(worker.capacity)}`}
              </td>
              <td>
                {worker.held.slice(0, NAMED).map(({ queue, id }) => (
                  <a key={`${queue} ${id}`} class="item" href={queueHref(queue, 'active', id)}>
                    {visible(id)}
                  </a>
                ))}
                {worker.held.length > NAMED && (
                  <small>{count(worker.held.length - NAMED)} more</small>
                )}
              </td>
              <td title={moment(worker.startedAt)}>{ago(worker.startedAt)}</td>
              <td title={moment(worker.heardAt)}>{ago(worker.heardAt)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {value.nextPageToken !== '' && (
        <p class="foot">{count(value.workers.length)} are shown; there are more</p>
      )}
    </div>
  );
}
