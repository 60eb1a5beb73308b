import type { Flow, Task, TaskOptions } from '../peers/house.js';

/** Where a job is when all is over: `removed` has left no trace. */
export type End = 'completed' | 'failed' | 'removed';

/** What is to become of a job. */
export interface Fate {
  readonly kind: string;
  /** How often it must run: never, where its child fails it. */
  readonly runs: number;
  readonly end: End;
  /** Keys of the jobs that must have run to their end before it runs. */
  readonly after?: readonly string[];
}

/** What a producer adds in one call. */
export type Addition =
  | { readonly task: Task; readonly options: TaskOptions }
  | { readonly flow: Flow };

/** All that is to be added, and what is to become of each job by its key. */
export interface Plan {
  readonly additions: readonly Addition[];
  readonly fates: ReadonlyMap<string, Fate>;
}

type Single = readonly [kind: string, fails: number, options: TaskOptions];

const fixed = (delay: number) => ({ type: 'fixed', delay }) as const;

const SINGLES: readonly Single[] = [
  ['plain', 0, {}],
  ['delayed', 0, { delay: 60 }],
  ['prioritized', 0, { priority: 3 }],
  ['lifo', 0, { lifo: true }],
  ['retried', 1, { attempts: 3 }],
  ['retried after a wait', 2, { attempts: 3, backoff: fixed(25) }],
  ['prioritized, retried', 1, { attempts: 2, priority: 1 }],
  ['delayed, prioritized, retried', 1, { attempts: 2, delay: 15, priority: 2 }],
  ['failed after retries', 2, { attempts: 2 }],
  ['failed', 1, {}],
  ['removed at its end', 0, { removeOnComplete: true }],
];

/** Every so many single jobs a flow is added. */
const FLOW_EVERY = 8;

/** Exactly so many jobs, of every kind in turn. */
export function planRun(jobs: number): Plan {
  const additions: Addition[] = [];
  const fates = new Map<string, Fate>();
  for (let number = 0, flows = 0; fates.size < jobs; number++) {
    const room = jobs - fates.size;
    if (number % FLOW_EVERY === 0 && room >= 4) additions.push(planFlow(flows++, fates));
    else additions.push(planSingle(number, fates));
  }
  return { additions, fates };
}

function planSingle(number: number, fates: Map<string, Fate>): Addition {
  const [kind, fails, options] = SINGLES[number % SINGLES.length] as Single;
  const key = `job-${number}`;
  const attempts = options.attempts ?? 1;
  const good = options.removeOnComplete ? 'removed' : 'completed';
  fates.set(key, {
    kind,
    runs: Math.min(fails + 1, attempts),
    end: fails < attempts ? good : 'failed',
  });
  const named = number % 3 === 0 ? { ...options, jobId: `own-${number}` } : options;
  return { task: { key, fails }, options: named };
}

/** A parent with three children: all is well, one fails and does not matter, or one fails and takes it along. */
function planFlow(number: number, fates: Map<string, Fate>): Addition {
  const key = `flow-${number}`;
  const policy = FLOWS[number % FLOWS.length] as (typeof FLOWS)[number];
  const children = [0, 1, 2].map((at) => {
    const bad = at === 1 && policy.option !== undefined;
    const retried = at === 2;
    fates.set(`${key}.${at}`, {
      kind: 'child',
      runs: retried ? 2 : 1,
      end: bad ? 'failed' : 'completed',
    });
    return {
      task: { key: `${key}.${at}`, fails: bad || retried ? 1 : 0 },
      options: {
        ...(bad && policy.option ? { [policy.option]: true } : {}),
        ...(retried ? { attempts: 2 } : {}),
      },
    };
  });
  const after = children.map(({ task }) => task.key);
  const fate = { kind: policy.kind, runs: policy.runs, end: policy.end };
  fates.set(key, policy.runs > 0 ? { ...fate, after } : fate);
  return { flow: { task: { key, fails: 0 }, options: {}, children } };
}

const FLOWS = [
  { kind: 'parent', option: undefined, runs: 1, end: 'completed' },
  {
    kind: 'parent that does without a failed child',
    option: 'ignoreDependencyOnFailure',
    runs: 1,
    end: 'completed',
  },
  { kind: 'parent that its child fails', option: 'failParentOnFailure', runs: 0, end: 'failed' },
] as const;
