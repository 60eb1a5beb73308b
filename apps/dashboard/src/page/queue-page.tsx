import { useEffect, useRef, useState } from 'preact/hooks';
import { type QueueInfo, STATES } from './answers.js';
import type { Asked } from './ask.js';
import { count, span, visible } from './format.js';
import { JobPanel } from './job-panel.js';
import { JobsTab } from './jobs-tab.js';
import { usePoll } from './poll.js';
import { QueueActions } from './queue-actions.js';
import { go, queueHref, type Route } from './route.js';
import { SchedulersTab } from './schedulers-tab.js';
import { ThroughputGraph } from './throughput-graph.js';
import { type Search, useJobs } from './use-jobs.js';
import { WorkersTable } from './workers-table.js';

/** A finished job changes only when somebody changes it: it is read again after so many polls. */
const CALM = 5;

/** One queue: its head, one of its lists, and the job that is open. */
export function QueuePage({ route }: { route: Route }) {
  const { queue, tab, jobId } = route;
  const [search, setSearch] = useState<Search>({ name: '' });
  const [top, setTop] = useState(true);
  const listed = (STATES as readonly string[]).includes(tab);
  const list = useJobs(queue, tab, search);
  const live = listed && top && !list.searching;
  const turn = useRef(0);
  const lastInfo = useRef<QueueInfo | undefined>(undefined);
  useEffect(() => setTop(true), [tab, search]);
  const tabs = useRef<HTMLElement>(null);
  useEffect(() => {
    // On a narrow screen the tabs scroll sideways. By hand: scrollIntoView moves where Tab begins, too.
    const [bar, current] = [
      tabs.current,
      tabs.current?.querySelector<HTMLElement>('[aria-current]'),
    ];
    if (bar && current) {
      const middle = current.offsetLeft - bar.offsetLeft + current.offsetWidth / 2;
      bar.scrollLeft = middle - bar.clientWidth / 2;
    }
  }, [tab]);

  const { shown, refresh } = usePoll(JSON.stringify([queue, tab, jobId, search]), () => {
    const done = ['completed', 'failed'].includes(shownJob()?.state ?? '');
    turn.current += 1;
    return {
      queue: { queue },
      ...(live ? { jobs: { queue, state: tab } } : {}),
      ...(tab === 'schedulers' ? { schedulers: { queue } } : {}),
      ...(tab === 'workers' ? { workers: { queue } } : {}),
      ...(jobId !== '' && (!done || turn.current % CALM === 0)
        ? { job: { queue, id: jobId } }
        : {}),
    } satisfies Asked;
  });
  function shownJob() {
    return shown.job?.value;
  }
  const fresh = shown.jobs?.value;
  useEffect(() => {
    if (fresh && live) list.renew(fresh);
  }, [fresh, live]);

  // The head stays while another list is read.
  lastInfo.current = shown.queue?.value ?? lastInfo.current;
  const info = lastInfo.current;
  const problem = shown.queue?.error ?? shown.jobs?.error;
  const afterChange = () => {
    refresh();
    if (list.searching) list.again();
  };
  return (
    <main class="queue">
      <div class="head">
        <h1>
          <a href="#/">Queues</a> <span aria-hidden="true">/</span> {visible(queue)}
        </h1>
        {info?.paused && <span class="badge warn">paused</span>}
        {info?.maxed && <span class="badge">at its concurrency of {info.concurrency}</span>}
        {info?.rateLimit && (
          <span class="badge">
            {count(info.rateLimit.max)} per {span(info.rateLimit.durationMs)}
          </span>
        )}
        {info?.mayChange && <QueueActions info={info} tab={tab} after={afterChange} />}
      </div>
      {problem && (
        <p class="problem" role="alert">
          {problem.message} <small>{problem.reason}</small>
        </p>
      )}
      {info && (
        <div class="card">
          <ThroughputGraph throughput={info.throughput} />
        </div>
      )}
      <nav ref={tabs} class="tabs" aria-label="Lists of this queue">
        {[...STATES, 'schedulers', 'workers'].map((each) => (
          <a
            key={each}
            href={queueHref(queue, each)}
            {...(each === tab ? { 'aria-current': 'page' as const } : {})}
          >
            {each === 'waiting-children' ? 'children' : each}
            {(STATES as readonly string[]).includes(each) && (
              <small>{count(info?.counts[each])}</small>
            )}
          </a>
        ))}
      </nav>
      {listed && (
        <JobsTab
          {...{ queue, tab, list, search, live, top }}
          open={jobId}
          total={info?.counts[tab] ?? 0}
          onSearch={setSearch}
          onTop={setTop}
        />
      )}
      {tab === 'schedulers' && (
        <SchedulersTab
          queue={queue}
          shown={shown.schedulers}
          mayChange={info?.mayChange}
          after={refresh}
        />
      )}
      {tab === 'workers' && <WorkersTable shown={shown.workers} />}
      {jobId !== '' && (
        <JobPanel
          key={jobId}
          {...{ queue, jobId }}
          shown={shown.job}
          after={afterChange}
          onClose={() => go(queueHref(queue, tab))}
        />
      )}
    </main>
  );
}
