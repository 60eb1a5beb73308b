import { type QueueInfo, STATES } from './answers.js';
import { useDesk } from './desk.js';
import { count, stateWord } from './format.js';

interface Props {
  readonly info: QueueInfo;
  readonly tab: string;
  readonly after: () => void;
}

type Answer = Readonly<Record<string, unknown>>;

const removed = (answer: Answer) =>
  `Removed ${count(Number(answer.removed ?? answer.count ?? 0))} jobs${answer.more ? '; there are more' : ''}`;
const moved = (answer: Answer) =>
  `Made ${count(Number(answer.moved ?? 0))} jobs ready${answer.nextCursor ? '; there are more' : ''}`;

/** Protobuf's enum names of the states. */
export const stateCode = (state: string): string =>
  `JOB_STATE_${state.toUpperCase().replace('-', '_')}`;

/** What can be done to a whole queue. */
export function QueueActions({ info: { queue, paused }, tab, after }: Props) {
  const desk = useDesk();
  const pause = () =>
    desk.confirm({
      title: `Pause ${queue}?`,
      text: 'Its workers finish what they hold and are given nothing more until it is resumed.',
      yes: 'Pause',
      onYes: () => void desk.change('pauseQueue', { queue }, { done: `${queue} is paused`, after }),
    });
  const resume = () =>
    void desk.change('resumeQueue', { queue }, { done: `${queue} is resumed`, after });
  const drain = () =>
    desk.confirm({
      title: `Drain ${queue}?`,
      text: 'Removes all jobs that wait. What runs and what has finished stays.',
      yes: 'Drain',
      danger: true,
      fields: (
        <label class="check">
          <input type="checkbox" name="delayed" /> delayed jobs too
        </label>
      ),
      onYes: (given) => {
        const body = { queue, includeDelayed: given.has('delayed') };
        void desk.change('drainQueue', body, { done: removed, after });
      },
    });
  const clean = () => desk.confirm(cleaning({ queue, tab, after, change: desk.change }));
  const all = (name: 'retryJobs' | 'promoteJobs', title: string, state: object) =>
    desk.confirm({
      title,
      text: 'At most 10,000 at once.',
      yes: name === 'retryJobs' ? 'Retry all' : 'Promote all',
      onYes: () =>
        void desk.change(name, { queue, limit: 10_000, ...state }, { done: moved, after }),
    });
  return (
    <div class="buttons">
      {(tab === 'failed' || tab === 'completed') && (
        <button
          type="button"
          onClick={() => all('retryJobs', `Run all ${tab} jobs again?`, { state: stateCode(tab) })}
        >
          Retry all…
        </button>
      )}
      {tab === 'delayed' && (
        <button type="button" onClick={() => all('promoteJobs', 'Run all delayed jobs now?', {})}>
          Promote all…
        </button>
      )}
      <button type="button" onClick={paused ? resume : pause}>
        {paused ? 'Resume' : 'Pause…'}
      </button>
      <button type="button" onClick={drain}>
        Drain…
      </button>
      <button type="button" onClick={clean}>
        Clean…
      </button>
    </div>
  );
}

interface Cleaning {
  readonly queue: string;
  readonly tab: string;
  readonly after: () => void;
  readonly change: ReturnType<typeof useDesk>['change'];
}

function cleaning({ queue, tab, after, change }: Cleaning) {
  const states = STATES.filter((state) => state !== 'waiting-children');
  const chosen = states.find((state) => state === tab) ?? 'completed';
  return {
    title: `Clean ${queue}?`,
    text: 'Removes jobs of one state that are older than a span; at most 10,000 at once.',
    yes: 'Clean',
    danger: true,
    fields: (
      <div class="fields">
        <label>
          State
          <select name="state">
            {states.map((state) => (
              <option key={state} value={state} selected={state === chosen}>
                {stateWord(state)}
              </option>
            ))}
          </select>
        </label>
        <label>
          Older than, minutes
          <input name="minutes" type="number" min="0" step="1" value="60" required />
        </label>
      </div>
    ),
    onYes: (given: FormData) => {
      const olderThan = { seconds: Number(given.get('minutes')) * 60 };
      const state = stateCode(String(given.get('state')));
      const body = { queue, state, olderThan, limit: 10_000 };
      void change('cleanQueue', body, { done: removed, after });
    },
  };
}
