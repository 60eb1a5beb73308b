import type { JobDetail } from './answers.js';
import { useDesk } from './desk.js';

interface Props {
  readonly job: JobDetail;
  readonly queue: string;
  readonly after: () => void;
  readonly onClose: () => void;
}

/** What can be done to a job where it is now. */
export function JobActions({ job, queue, after, onClose }: Props) {
  const desk = useDesk();
  const { id: jobId, state } = job;
  const target = { queue, jobId };
  const finished = state === 'failed' || state === 'completed';
  const cancel = () =>
    desk.confirm({
      title: 'Cancel this job?',
      text: 'Its worker is asked to end it; a job that has not begun fails at once.',
      yes: 'Cancel the job',
      danger: true,
      onYes: () => {
        const done = ({ delivered }: Readonly<Record<string, unknown>>) =>
          delivered ? 'Cancelled, or its worker is told' : 'Noted; its worker does not hear of it';
        void desk.change('cancelJob', target, { done, after });
      },
    });
  const remove = () =>
    desk.confirm({
      title: 'Remove this job?',
      text: 'With its data, log and result. It cannot be brought back.',
      yes: 'Remove',
      danger: true,
      fields: (
        <label class="check">
          <input type="checkbox" name="children" /> the jobs on which it waits too
        </label>
      ),
      onYes: (given) => {
        const body = { ...target, removeChildren: given.has('children') };
        const gone = () => {
          onClose();
          after();
        };
        void desk.change('removeJob', body, { done: 'Removed', after: gone });
      },
    });
  return (
    <div class="buttons">
      {finished && (
        <button
          type="button"
          class="primary"
          onClick={() => void desk.change('retryJob', target, { done: 'It waits again', after })}
        >
          Retry
        </button>
      )}
      {state === 'delayed' && (
        <button
          type="button"
          class="primary"
          onClick={() => void desk.change('promoteJob', target, { done: 'It is ready now', after })}
        >
          Promote
        </button>
      )}
      {!finished && (
        <button type="button" onClick={cancel}>
          Cancel…
        </button>
      )}
      <button type="button" onClick={remove}>
        Remove…
      </button>
    </div>
  );
}
