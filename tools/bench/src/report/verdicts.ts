import type { SceneResult } from '../run/run-plan.js';
import { median } from './statistics.js';
import { TARGETS, type Target } from './targets.js';

/** A target and what was measured. */
export interface Verdict {
  readonly target: Target;
  /** The ratio, or the figure itself; NaN when it was not measured. */
  readonly measured: number;
  readonly verdict: 'goal' | 'floor' | 'missed' | 'not measured';
}

/** Every target against the results. A ratio is the median of the ratios of the rounds, not a ratio of medians. */
export function verdicts(results: readonly SceneResult[]): readonly Verdict[] {
  return TARGETS.map((target) => {
    const measured = measure(target, results);
    return { target, measured, verdict: judge(target, measured) };
  });
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

function judge({ floor, goal, lower }: Target, measured: number): Verdict['verdict'] {
  if (!Number.isFinite(measured)) return 'not measured';
  const reaches = (bound: number) => (lower ? measured <= bound : measured >= bound);
  if (reaches(goal)) return 'goal';
  return reaches(floor) ? 'floor' : 'missed';
}
