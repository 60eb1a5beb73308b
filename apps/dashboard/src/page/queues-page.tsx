import { useState } from 'preact/hooks';
import { type QueueRow, STATES } from './answers.js';
import { count, stateWord, visible } from './format.js';
import { usePoll } from './poll.js';
import { queueHref } from './route.js';

/** All queues with what is in them. */
export function QueuesPage() {
  const [prefix, setPrefix] = useState('');
  const [pages, setPages] = useState<readonly string[]>(['']);
  const pageToken = pages.at(-1) ?? '';
  const { shown } = usePoll(`${prefix} ${pageToken}`, () => ({ queues: { prefix, pageToken } }));
  const { value, error } = shown.queues ?? {};
  return (
    <main>
      <div class="head">
        <h1>Queues</h1>
        <input
          type="search"
          placeholder="Name begins with…"
          aria-label="Queues whose name begins with"
          value={prefix}
          onInput={({ currentTarget }) => {
            setPrefix(currentTarget.value);
            setPages(['']);
          }}
        />
      </div>
      {error && (
        <p class="problem" role="alert">
          {error.message} <small>{error.reason}</small>
        </p>
      )}
      {value && value.queues.length === 0 && (
        <p class="empty">
          {prefix === ''
            ? 'No queues yet: the first job that is added makes one.'
            : 'No queue is called so.'}
        </p>
      )}
      {value && value.queues.length > 0 && (
        <div class="card scroll">
          <table class="queues">
            <thead>
              <tr>
                <th>Queue</th>
                {STATES.map((state) => (
                  <th key={state} class="number">
                    {state === 'waiting-children' ? 'children' : state}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {value.queues.map((row) => (
                <Row key={row.queue} row={row} />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {value && (pages.length > 1 || value.nextPageToken !== '') && (
        <div class="buttons">
          <button
            type="button"
            disabled={pages.length < 2}
            onClick={() => setPages(pages.slice(0, -1))}
          >
            Previous
          </button>
          <button
            type="button"
            disabled={value.nextPageToken === ''}
            onClick={() => setPages([...pages, value.nextPageToken])}
          >
            Next
          </button>
        </div>
      )}
    </main>
  );
}

function Row({ row: { queue, paused, problem, counts } }: { row: QueueRow }) {
  return (
    <tr>
      <th scope="row">
        {problem === '' ? (
          <a href={queueHref(queue)}>{visible(queue)}</a>
        ) : (
          <span>{visible(queue)}</span>
        )}
        {paused && <span class="badge warn">paused</span>}
        {problem !== '' && <span class="badge bad">{problem}</span>}
      </th>
      {STATES.map((state) => {
        const jobs = counts?.[state] ?? 0;
        return (
          <td
            key={state}
            class={`number ${jobs === 0 ? 'zero' : state}`}
            data-label={stateWord(state)}
          >
            {problem === '' && (
              <a href={queueHref(queue, state)} tabIndex={jobs === 0 ? -1 : 0}>
                {count(jobs)}
              </a>
            )}
          </td>
        );
      })}
    </tr>
  );
}
