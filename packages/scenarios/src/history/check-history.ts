import type { Entry, History } from './history.js';

/** What a history must prove. */
export interface HistoryRules {
  /** Jobs that may still be open at its end, because the test stops early; none unless told. */
  readonly mayBeOpen?: (job: string) => boolean;
  /**
   * The order in which the jobs must begin their first runs. Only for one slot: with more, two beginnings are no order.
   */
  readonly order?: readonly string[];
}

interface Run {
  readonly name: string;
  readonly startedAt: number;
  overAt: number;
  lost: boolean;
  ended: Extract<Entry, { kind: 'ended' }>['end'] | undefined;
}

interface JobStory {
  accepted: number;
  removed: boolean;
  readonly runs: Map<string, Run>;
  /** Final ends that were told as stored. */
  readonly ends: string[];
}

/**
 * What is wrong with a history, a line each; none: every accepted job ended once, no run began while another of the
 * same job went on, and the order held.
 */
export function checkHistory(history: History, rules: HistoryRules = {}): string[] {
  const problems: string[] = [];
  const stories = tell(history.entries, problems);
  for (const [job, story] of stories) {
    problems.push(...endsOf(job, story, rules), ...overlapsOf(job, story));
  }
  if (rules.order) problems.push(...orderOf(history, rules.order));
  return problems;
}

function tell(entries: readonly Entry[], problems: string[]): Map<string, JobStory> {
  const stories = new Map<string, JobStory>();
  for (const entry of [...entries].sort((a, b) => a.at - b.at)) {
    const story = stories.get(entry.job) ?? {
      accepted: 0,
      removed: false,
      runs: new Map(),
      ends: [],
    };
    stories.set(entry.job, story);
    if (entry.kind === 'accepted') story.accepted += 1;
    else if (entry.kind === 'removed') story.removed = true;
    else if (entry.kind === 'started') begin(story, entry, problems);
    else {
      const run = story.runs.get(entry.run);
      if (run) follow(story, run, entry);
      else problems.push(`${entry.job}: ${entry.kind} of run ${entry.run}, which never began`);
    }
  }
  return stories;
}

function begin(story: JobStory, entry: Extract<Entry, { kind: 'started' }>, problems: string[]) {
  if (story.runs.has(entry.run)) {
    problems.push(`${entry.job}: run ${entry.run} began twice`);
    return;
  }
  story.runs.set(entry.run, {
    name: entry.run,
    startedAt: entry.at,
    overAt: Number.POSITIVE_INFINITY,
    lost: false,
    ended: undefined,
  });
}

function follow(
  story: JobStory,
  run: Run,
  entry: Extract<Entry, { kind: 'over' | 'ended' | 'lost' }>,
): void {
  // The first word counts; an end that is told without one is one.
  run.overAt = Math.min(run.overAt, entry.at);
  if (entry.kind === 'lost') run.lost = true;
  if (entry.kind !== 'ended') return;
  run.ended = entry.end;
  if (entry.end !== 'again') story.ends.push(run.name);
}

function endsOf(job: string, story: JobStory, { mayBeOpen }: HistoryRules): string[] {
  const { accepted, removed, ends, runs } = story;
  const problems: string[] = [];
  if (accepted === 0) problems.push(`${job} ran and was never accepted`);
  if (ends.length > 1) problems.push(`${job} ended ${ends.length} times: ${ends.join(', ')}`);
  if (removed || ends.length > 0 || mayBeOpen?.(job)) return problems;
  // A worker that died after its report was stored heard of no end; the books know.
  if (![...runs.values()].some(({ lost }) => lost)) problems.push(`${job} never ended`);
  return problems;
}

function overlapsOf(job: string, { runs }: JobStory): string[] {
  const inOrder = [...runs.values()].sort((a, b) => a.startedAt - b.startedAt);
  return inOrder.slice(1).flatMap((run, at) => {
    const before = inOrder[at] as Run;
    const both = `${job}: ${run.name} after ${before.name}`;
    if (run.startedAt < before.overAt) return [`${both} while that went on`];
    if (before.ended === 'again' || before.lost) return [];
    if (before.ended !== undefined) return [`${both}, which had ended the job`];
    return [`${both}, which nobody had lost`];
  });
}

function orderOf({ entries }: History, order: readonly string[]): string[] {
  const seen = new Set<string>();
  const first = entries.flatMap((entry) => {
    if (entry.kind !== 'started' || seen.has(entry.job)) return [];
    seen.add(entry.job);
    return [entry.job];
  });
  const due = order.filter((job) => seen.has(job));
  const wrong = due.findIndex((job, at) => job !== first[at]);
  return wrong < 0 ? [] : [`${first[wrong]} began where ${due[wrong]} was due, at place ${wrong}`];
}
