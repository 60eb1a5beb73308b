import Table from 'cli-table3';
import type { Check } from './books.js';
import type { Measures, Percentiles } from './measures.js';

/** Problems of one check that are written out. */
const SHOWN = 5;

/** The figures as a table. */
export function figures(measures: Measures): string {
  const table = new Table({
    colAligns: ['left', 'right', 'left'],
    // No lines between the rows.
    chars: { mid: '', 'left-mid': '', 'mid-mid': '', 'right-mid': '' },
    style: { border: [] },
  });
  const { recovered, givenBack, otherStalls } = measures;
  table.push(
    ['added', measures.added, 'jobs, through the SDK and the gateway'],
    ['completed', measures.completed, 'jobs'],
    ['failed', measures.failed, 'jobs, for good'],
    ['retried', measures.retried, 'failed attempts that were followed by another'],
    ['recovered after the kill', recovered, 'jobs, brought back by the stalled sweep'],
    ['given back after the kill', givenBack, 'jobs, delivered and not yet begun'],
    ['stalled otherwise', otherStalls, 'jobs whose worker lived and lost its lock'],
    ['jobs/s', Math.round(measures.perSecond), 'file jobs, first taken to last finished'],
    ['p50 / p99 pick-up', pair(measures.pickUp), 'ms from added to taken: time in line included'],
    ['p50 / p99 pick-up when due', pair(measures.duePickUp), 'ms from due to taken: delayed jobs'],
  );
  for (const [language, jobs] of measures.byLanguage) {
    table.push([`by workers in ${language}`, jobs, 'jobs that ended in their hands']);
  }
  return table.toString();
}

function pair({ p50, p99 }: Percentiles): string {
  return `${p50} / ${p99}`;
}

/** The books, a line for each check, and below it what is wrong. */
export function bookLines(checks: readonly Check[]): readonly string[] {
  return checks.flatMap(({ what, problems }) => {
    const more = problems.length - SHOWN;
    return [
      `${problems.length === 0 ? 'right' : 'WRONG'}  ${what}`,
      ...problems.slice(0, SHOWN).map((problem) => `         ${problem}`),
      ...(more > 0 ? [`         and ${more} more`] : []),
    ];
  });
}
