import { count, stateWord } from './format.js';
import { JobLine } from './job-line.js';
import { go, queueHref } from './route.js';
import { SearchBar } from './search-bar.js';
import type { JobList, Search } from './use-jobs.js';
import { VirtualList } from './virtual-list.js';

interface Props {
  readonly queue: string;
  readonly tab: string;
  readonly list: JobList;
  readonly search: Search;
  /** The id of the job that is open. */
  readonly open: string;
  /** Jobs in this state. */
  readonly total: number;
  /** The rows follow the queue. */
  readonly live: boolean;
  readonly top: boolean;
  readonly onSearch: (search: Search) => void;
  readonly onTop: (top: boolean) => void;
}

/** The jobs of one state, and the search in them. */
export function JobsTab(props: Props) {
  const { queue, tab, list, search, open, onSearch, onTop } = props;
  const { rows, more, loading, problem } = list.jobs;
  return (
    <>
      <SearchBar search={search} onSearch={onSearch} onId={(id) => go(queueHref(queue, tab, id))} />
      {problem && (
        <p class="problem" role="alert">
          {problem.message} <small>{problem.reason}</small>
        </p>
      )}
      <div class="card list">
        <VirtualList
          // Another list begins at its top.
          key={JSON.stringify([tab, search])}
          label={`${stateWord(tab)} jobs`}
          rows={rows}
          keyOf={({ id }) => id}
          render={(job) => <JobLine job={job} />}
          onOpen={({ id }) => go(queueHref(queue, tab, id))}
          open={open}
          onNearEnd={() => {
            if (more && !loading && !list.searching) list.readMore();
          }}
          onTop={onTop}
        />
        {rows.length === 0 && (
          <p class="empty">
            {loading
              ? 'Reading…'
              : list.searching
                ? 'Nothing found.'
                : `No jobs are ${stateWord(tab)}.`}
          </p>
        )}
        <Foot {...props} />
      </div>
    </>
  );
}

function Foot({ list, total, live }: Props) {
  const { rows, more, loading, lookedAt } = list.jobs;
  if (list.searching) {
    return (
      <p class="foot">
        {count(rows.length)} found among {count(lookedAt)} jobs
        {more && (
          <button type="button" class="quiet" disabled={loading} onClick={list.readMore}>
            {loading ? 'Looking…' : 'Look further'}
          </button>
        )}
      </p>
    );
  }
  return (
    <p class="foot">
      {rows.length < total
        ? `${count(rows.length)} of ${count(total)} read`
        : `${count(rows.length)} jobs`}
      <span>{live ? 'follows the queue' : 'stands still while you are further down'}</span>
    </p>
  );
}
