import type { SceneResult } from '../run/run-plan.js';
import type { Machine } from './machine.js';
import { numberText } from './number-text.js';
import { sceneRows } from './scene-rows.js';
import type { Verdict } from './verdicts.js';

/** How a verdict reads. */
const WORDS: Readonly<Record<Verdict['verdict'], string>> = {
  goal: 'goal met',
  floor: 'floor met, goal not',
  missed: '**missed**',
  'not measured': 'not measured',
};

/** The report as it stands in docs/benchmarks. */
export function markdown(
  results: readonly SceneResult[],
  verdicts: readonly Verdict[],
  run: {
    readonly machine: Machine;
    readonly rounds: number;
    readonly command: string;
    readonly shared: boolean;
  },
): string {
  const { machine, rounds, command, shared } = run;
  return [
    `Written by \`${command}\` on ${machine.date}: ${machine.cpu}, ${machine.cores} cores,`,
    `${machine.memoryGiB} GiB, Linux ${machine.kernel}, Node ${machine.node}, ${machine.redis}${shared ? '; a shared machine' : ''}.`,
    `${rounds} rounds; in each every contender runs once, in a fresh process on an empty private Redis. Medians;`,
    '± is half the range as a part of the median. A run whose books do not balance counts for nothing and is named.',
    'The ratios of one run count, absolute figures move from machine to machine. Every run: [results.json](results.json).',
    '',
    '## Against the targets',
    '',
    'Ratios are to bullmq 6.7.0 in the same round unless the line says otherwise. Beside a goal that was not reached stands what',
    'the run has measured there, in brackets for the one it is compared with.',
    '',
    '| target | floor | goal | measured | met | why not the goal |',
    '|---|---|---|---|---|---|',
    ...verdicts.map(({ target, measured, verdict, reason }) => {
      const { title, floor, goal } = target;
      const bounds = `${numberText(floor)} | ${numberText(goal)}`;
      return `| ${title} | ${bounds} | ${numberText(measured)} | ${WORDS[verdict]} | ${cell(reason)} |`;
    }),
    '',
    ...results.flatMap(section),
  ]
    .join('\n')
    .trimEnd();
}

/** A text that stays in its cell. */
function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ');
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
    ...rows
      .filter(({ runs }) => runs > 0)
      .map(({ contender, figures, spread }) => {
        const cells = names.map((name) => numberText(figures[name] ?? Number.NaN));
        const percent = Number.isFinite(spread) ? `${Math.round(spread * 100)} %` : '–';
        return `| ${contender} | ${cells.join(' | ')} | ${percent} |`;
      }),
    '',
    ...rows.flatMap(({ contender, skipped }) =>
      skipped === undefined ? [] : [`- ${contender} was skipped: ${skipped}`],
    ),
    ...rows.flatMap(({ contender, problems }) =>
      problems.map((problem) => `- ${contender}, a run without figures: ${problem}`),
    ),
    '',
  ];
}
