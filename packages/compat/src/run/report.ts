import type { Audit } from './audit.js';
import type { MixedRun, RunSize } from './mixed-run.js';
import type { End } from './plan.js';
import type { QueueBooks } from './queue-books.js';

/** A run that is over, with its books. */
export interface ClosedRun {
  readonly size: RunSize;
  readonly run: MixedRun;
  readonly books: QueueBooks;
  readonly audit: Audit;
  /** Those who took part, and why others did not. */
  readonly participants: readonly string[];
  readonly missing: readonly string[];
}

/** The books as text of Markdown tables. */
export function report(closed: ClosedRun): string {
  const { run, books, audit, participants, missing } = closed;
  const { notes, tookMs } = run;
  const perSecond = Math.round(notes.runs.length / (tookMs / 1_000));
  return [
    `${run.fates.size} jobs, ${notes.runs.length} runs in ${(tookMs / 1_000).toFixed(1)} s (${perSecond}/s), ` +
      `${run.pauses.length} pauses, each ended by another participant than the one that began it.`,
    ...missing.map((why) => `Not there: ${why}.`),
    '',
    ...participantTable(participants, run),
    '',
    ...kindTable(run),
    '',
    ...placeTable(run, books),
    '',
    table(
      ['Check', 'Violations'],
      [
        [
          'every planned attempt ran once, in order; no other ran; parents after their children',
          audit.wrongRuns.length,
        ],
        ['every job ended as planned, once', audit.wrongEnds.length],
        ['every id is in one location and has its job', audit.wrongPlaces.length],
        ['every end was announced once', audit.wrongEvents.length],
        ['keys left behind', audit.leftovers.length],
      ],
    ),
  ].join('\n');
}

function participantTable(participants: readonly string[], { notes, added, pauses }: MixedRun) {
  const rows = participants.map((name) => [
    name,
    added[name] ?? 0,
    notes.runs.filter(({ by }) => by === name).length,
    pauses.filter(({ by }) => by === name).length,
    pauses.filter(({ resumedBy }) => resumedBy === name).length,
  ]);
  return [table(['Participant', 'Jobs added', 'Runs', 'Pauses', 'Resumes'], rows)];
}

function kindTable({ fates, notes }: MixedRun): string[] {
  const ran = notes.attempts();
  const kinds = new Map<string, { jobs: number; planned: number; runs: number }>();
  for (const [key, { kind, runs }] of fates) {
    const sum = kinds.get(kind) ?? { jobs: 0, planned: 0, runs: 0 };
    kinds.set(kind, {
      jobs: sum.jobs + 1,
      planned: sum.planned + runs,
      runs: sum.runs + (ran.get(key)?.length ?? 0),
    });
  }
  const rows = [...kinds].map(([kind, sums]) => [kind, sums.jobs, sums.planned, sums.runs]);
  const total = (at: 1 | 2 | 3) => rows.reduce((sum, row) => sum + Number(row[at]), 0);
  rows.push(['**all**', total(1), total(2), total(3)]);
  return [table(['Kind', 'Jobs', 'Runs planned', 'Runs'], rows)];
}

function placeTable({ fates }: MixedRun, { locations, jobs, others }: QueueBooks): string[] {
  const planned = (end: End) => [...fates.values()].filter((fate) => fate.end === end).length;
  const held = (name: string) => locations[name]?.length ?? 0;
  const open = ['wait', 'paused', 'active', 'prioritized', 'delayed', 'waiting-children'];
  const rows: (string | number)[][] = [
    ['completed', planned('completed'), held('completed')],
    ['failed', planned('failed'), held('failed')],
    ['removed at its end', planned('removed'), fates.size - jobs.size],
    [open.join(', '), 0, open.reduce((sum, name) => sum + held(name), 0)],
  ];
  const rest = Object.entries(others).map(([name, count]) => `\`${name}\` ${count}`);
  return [
    table(['At the end', 'Planned', 'Found'], rows),
    '',
    `Job hashes: ${jobs.size}. Other keys: ${rest.join(', ')}.`,
  ];
}

function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const line = (cells: readonly (string | number)[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
