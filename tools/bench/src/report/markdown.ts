import type { SceneResult } from '../run/run-plan.js';
import type { Machine } from './machine.js';
import { numberText } from './number-text.js';
import { sceneRows } from './scene-rows.js';
import type { Verdict } from './verdicts.js';

/** The report as it stands in docs/benchmarks. */
export function markdown(
  results: readonly SceneResult[],
  verdicts: readonly Verdict[],
  run: { readonly machine: Machine; readonly rounds: number; readonly command: string },
): string {
  const { machine, rounds, command } = run;
  return [
    '# Benchmarks',
    '',
    `Written by \`${command}\` on ${machine.date}: ${machine.cpu}, ${machine.cores} cores,`,
    `${machine.memoryGiB} GiB, Linux ${machine.kernel}, Node ${machine.node}, ${machine.redis}.`,
    `${rounds} rounds; in each every contender runs once, in a fresh process on an empty private Redis. Medians;`,
    '± is half the range as a part of the median. A run whose books do not balance counts for nothing and is named.',
    'The ratios of one run count, absolute figures move from machine to machine.',
    '',
    '## Against the targets',
    '',
    'Ratios are to bullmq 6.7.0 in the same round unless the line says otherwise.',
    '',
    '| target | floor | goal | measured | |',
    '|---|---|---|---|---|',
    ...verdicts.map(({ target, measured, verdict }) => {
      const { title, floor, goal } = target;
      const bounds = `${numberText(floor)} | ${numberText(goal)}`;
      return `| ${title} | ${bounds} | ${numberText(measured)} | ${verdict} |`;
    }),
    '',
    ...results.flatMap(section),
  ].join('\n');
}

function section(result: SceneResult): string[] {
  const rows = sceneRows(result);
  const names = [...new Set(rows.flatMap(({ figures }) => Object.keys(figures)))];
  const { id, title } = result.scene;
  return [
    `## ${title}`,
    '',
    `![${title}](${id}.svg)`,
    '',
    `| | ${names.join(' | ')} | ± |`,
    `|---|${'---|'.repeat(names.length + 1)}`,
    ...rows.map(({ contender, figures, spread }) => {
      const cells = names.map((name) => numberText(figures[name] ?? Number.NaN));
      const percent = Number.isFinite(spread) ? `${Math.round(spread * 100)} %` : '–';
      return `| ${contender} | ${cells.join(' | ')} | ${percent} |`;
    }),
    '',
    ...rows.flatMap(({ contender, problems }) =>
      problems.map((problem) => `- ${contender}, a run without figures: ${problem.split('\n')[0]}`),
    ),
    '',
  ];
}
