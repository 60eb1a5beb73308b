import type { Report } from './suite.js';
import type { Verdict } from './verdict.js';

/** The verdicts as a table, what failed in full below it, and a sum. */
export function table({ verdicts, conforms }: Report): string[] {
  const width = Math.max(...verdicts.map(({ id }) => id.length), 4);
  const row = (id: string, grade: string, [result, seen]: readonly [string, string]) =>
    `${id.padEnd(width)}  ${grade.padEnd(6)}  ${result.padEnd(6)}  ${seen}`;
  return [
    row('case', 'grade', ['result', 'what was seen']),
    ...verdicts.map(({ id, grade, passed, seen }) =>
      row(id, grade, [passed ? 'passed' : 'FAILED', seen]),
    ),
    ...verdicts.filter(({ passed }) => !passed).flatMap(failure),
    '',
    sum(verdicts, conforms),
  ];
}

function failure({ id, rule, seen, transcript = [], output = [] }: Verdict): string[] {
  const shown = transcript.slice(-40);
  const left = transcript.length - shown.length;
  return [
    '',
    `${id}: ${rule}`,
    `  ${seen}`,
    ...(left > 0 ? [`  … ${left} lines before`] : []),
    ...shown.map((line) => `  ${line}`),
    ...output.map((line) => `  worker: ${line}`),
  ];
}

function sum(verdicts: readonly Verdict[], conforms: boolean): string {
  const of = (grade: string) => {
    const all = verdicts.filter((verdict) => verdict.grade === grade);
    return `${all.filter(({ passed }) => passed).length} of ${all.length} ${grade}`;
  };
  return `${of('must')}, ${of('should')}: the worker ${conforms ? 'conforms' : 'does not conform'}`;
}
