import { useEffect, useRef } from 'preact/hooks';
import type { JobDetail } from './answers.js';
import type { Shown } from './ask.js';
import { FlowTree } from './flow-tree.js';
import { bytes, pretty, stateWord, visible } from './format.js';
import { JobActions } from './job-actions.js';
import { LogLines } from './log-lines.js';
import { queueHref } from './route.js';
import { Text } from './text.js';
import { Timeline } from './timeline.js';

interface Props {
  readonly queue: string;
  readonly jobId: string;
  readonly shown: Shown['job'];
  readonly after: () => void;
  readonly onClose: () => void;
}

/** One job beside its list. Esc closes it, and the keyboard is back where it was. */
export function JobPanel({ queue, jobId, shown, after, onClose }: Props) {
  const panel = useRef<HTMLElement>(null);
  const close = useRef(onClose);
  close.current = onClose;
  useEffect(() => {
    const before = document.activeElement;
    panel.current?.focus();
    const onKey = (event: KeyboardEvent) => {
      if (event.key === 'Escape' && !document.querySelector('dialog[open]')) close.current();
    };
    addEventListener('keydown', onKey);
    return () => {
      removeEventListener('keydown', onKey);
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  const job = shown?.value;
  return (
    <aside ref={panel} class="panel" tabIndex={-1} aria-label={`Job ${jobId}`}>
      <header>
        <div>
          <h2>{job ? visible(job.name) || '(no name)' : 'Job'}</h2>
          <small>{visible(jobId)}</small>
        </div>
        {job && (
          <span class="badge state">
            <i class={`dot ${job.state}`} aria-hidden="true" /> {stateWord(job.state)}
          </span>
        )}
        <button type="button" class="quiet close" aria-label="Close" onClick={onClose}>
          ✕
        </button>
      </header>
      {shown?.error && (
        <p class="problem" role="alert">
          {shown.error.message} <small>{shown.error.reason}</small>
        </p>
      )}
      {job && <Detail job={job} queue={queue} after={after} onClose={onClose} />}
    </aside>
  );
}

function Detail(props: { job: JobDetail; queue: string; after: () => void; onClose: () => void }) {
  const { job } = props;
  const { data, result, progress, stacks, logs, flow, parent } = job;
  return (
    <div class="detail">
      {job.mayChange && <JobActions {...props} />}
      {job.failedReason !== '' && job.state !== 'completed' && (
        <section>
          <h3>Why it failed</h3>
          <p class="failure">{job.failedReason}</p>
        </section>
      )}
      <section>
        <h3>Timeline</h3>
        <Timeline job={job} />
      </section>
      <section>
        <h3>
          Data <small>{bytes(job.dataSize)}</small>
        </h3>
        {data ? (
          <Text text={pretty(data.text)} cut={data.cut} />
        ) : (
          <p class="muted">
            {job.omitted
              ? 'left out, and result and stacks where need be: the job is larger than one answer may be'
              : 'none'}
          </p>
        )}
      </section>
      {result && (
        <section>
          <h3>Result</h3>
          <Text text={pretty(result.text)} cut={result.cut} />
        </section>
      )}
      {progress && (
        <section>
          <h3>Progress</h3>
          <Progress text={progress.text} cut={progress.cut} />
        </section>
      )}
      {stacks.length > 0 && (
        <section>
          <h3>
            Stack{' '}
            <small>{stacks.length > 1 ? `${stacks.length} attempts, the newest first` : ''}</small>
          </h3>
          {[...stacks].reverse().map((stack, at) => (
            <Text key={at} text={stack} />
          ))}
        </section>
      )}
      {logs.total > 0 && <LogLines job={job} />}
      {flow && (
        <section>
          <h3>Flow</h3>
          <FlowTree root={flow} here={job} />
        </section>
      )}
      {!flow && parent && (
        <p>
          Child of{' '}
          <a href={queueHref(parent.queue, 'waiting-children', parent.jobId)}>{parent.jobId}</a>
        </p>
      )}
      <section>
        <h3>Options</h3>
        <Text text={pretty(job.options ?? '{}')} />
      </section>
    </div>
  );
}

function Progress({ text, cut }: { text: string; cut: boolean }) {
  const share = Number(text);
  if (text.trim() === '' || !(share >= 0 && share <= 100))
    return <Text text={pretty(text)} cut={cut} />;
  return (
    <p class="progress">
      <progress max={100} value={share} /> {share} %
    </p>
  );
}
