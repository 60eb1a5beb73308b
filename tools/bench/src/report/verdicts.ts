import type { CallRow } from '../calls/measure-calls.js';
import type { SceneResult } from '../run/run-plan.js';
import { reasonOf, reasonOfCalls } from './reasons.js';
import { median } from './statistics.js';
import { CALL_TARGETS, TARGETS, type Target } from './targets.js';

/** A target and what was measured. */
export interface Verdict {
  readonly target: Pick<Target, 'title' | 'floor' | 'goal'>;
  /** The ratio, or the figure itself; NaN when it was not measured. */
  readonly measured: number;
  readonly verdict: 'goal' | 'floor' | 'missed' | 'not measured';
  /** Why the goal was not reached, as far as the run can tell; empty where it was. */
  readonly reason: string;
}

/** Every target against the results. A ratio is the median of the ratios of the rounds, not a ratio of medians. */
export function verdicts(
  results: readonly SceneResult[],
  calls: readonly CallRow[] = [],
): readonly Verdict[] {
  const ofScenes = TARGETS.map((target) =>
    judged(target, measure(target, results), () => reasonOf(target, results)),
  );
  const ofCalls = CALL_TARGETS.map((target) => {
    const row = calls.find(({ id }) => id === target.call);
    if (!row) return judged(target, Number.NaN, () => 'this run did not count calls');
    return judged(target, row.ours.us / row.yardstick.us, () => reasonOfCalls(row));
  });
  return [...ofScenes, ...ofCalls];
}

type Bounded = Pick<Target, 'title' | 'floor' | 'goal' | 'lower'>;

function judged(target: Bounded, measured: number, reason: () => string): Verdict {
  const verdict = judge(target, measured);
  return { target, measured, verdict, reason: verdict === 'goal' ? '' : reason() };
}

function measure(target: Target, results: readonly SceneResult[]): number {
  const own = figures(results, target.scene, target);
  if (target.absolute) return median(defined(own));
  const { scene = target.scene, contender = 'bullmq6' } = target.to ?? {};
  const other = figures(results, scene, { contender, figure: target.figure });
  if (scene !== target.scene) return median(defined(own)) / median(defined(other));
  return median(defined(own.map((value, at) => (value ?? Number.NaN) / (other[at] ?? Number.NaN))));
}

function figures(
  results: readonly SceneResult[],
  scene: string,
  { contender, figure }: Pick<Target, 'contender' | 'figure'>,
): readonly (number | undefined)[] {
  const result = results.find((each) => each.scene.id === scene);
  const series = result?.series.find((each) => each.contender === contender);
  return series?.runs.map((run) => run?.[figure]) ?? [];
}

function defined(values: readonly (number | undefined)[]): number[] {
  return values.filter((value): value is number => value !== undefined && Number.isFinite(value));
}

function judge({ floor, goal, lower }: Bounded, measured: number): Verdict['verdict'] {
  if (!Number.isFinite(measured)) return 'not measured';
  // What the table shows is what is judged: the runs tell no more digits apart.
  const shown = Number(measured.toPrecision(3));
  const reaches = (bound: number) => (lower ? shown <= bound : shown >= bound);
  if (reaches(goal)) return 'goal';
  return reaches(floor) ? 'floor' : 'missed';
}
