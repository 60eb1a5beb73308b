import type { SceneResult } from '../run/run-plan.js';
import { median, spread } from './statistics.js';

/** The figures of one contender in one scene: the median of each, and the spread of the first. */
export interface Row {
  readonly contender: string;
  readonly figures: Readonly<Record<string, number>>;
  /** Half the range of the first figure, as a part of its median. */
  readonly spread: number;
  readonly runs: number;
  readonly problems: readonly string[];
  /** Why it did not take part. */
  readonly skipped?: string | undefined;
}

/** One row for each contender of a scene. */
export function sceneRows({ series }: SceneResult): readonly Row[] {
  return series.map(({ contender, runs, problems, skipped }) => {
    const good = runs.filter((run) => run !== undefined);
    const names = Object.keys(good[0] ?? {});
    const values = (name: string) => good.map((run) => run[name] ?? Number.NaN);
    const figures = Object.fromEntries(names.map((name) => [name, median(values(name))]));
    const first = names[0];
    return {
      contender,
      figures,
      spread: first === undefined ? Number.NaN : spread(values(first)),
      runs: good.length,
      problems,
      skipped,
    };
  });
}
