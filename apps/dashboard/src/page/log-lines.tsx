import { useState } from 'preact/hooks';
import type { JobDetail, Logs } from './answers.js';
import { type Refused, showOne } from './ask.js';
import { useDesk } from './desk.js';
import { count } from './format.js';
import { Text } from './text.js';

/** The log of a job: its first lines as they come, and the rest for who asks for it. */
export function LogLines({ job: { queue, id, logs } }: { job: JobDetail }) {
  const desk = useDesk();
  const [read, setRead] = useState<Logs | undefined>();
  const { lines, total } = read ?? logs;
  const more = async () => {
    try {
      const page = await showOne('logs', { queue, id, pageToken: read?.nextPageToken ?? '' });
      setRead({ ...page, lines: [...(read?.lines ?? []), ...page.lines] });
    } catch (error) {
      desk.say((error as Refused).message, true);
    }
  };
  return (
    <section>
      <h3>
        Log{' '}
        <small>
          {lines.length < total
            ? `the first ${count(lines.length)} of ${count(total)} lines`
            : `${count(total)} lines`}
        </small>
      </h3>
      <Text text={lines.join('\n')} />
      {lines.length < total && (
        <button type="button" class="quiet" onClick={() => void more()}>
          Read on
        </button>
      )}
    </section>
  );
}
