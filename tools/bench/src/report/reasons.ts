import type { CallRow } from '../calls/measure-calls.js';
import type { SceneResult } from '../run/run-plan.js';
import { numberText } from './number-text.js';
import { sceneRows } from './scene-rows.js';
import type { Target } from './targets.js';

/**
 * What the run has measured besides the figure of a target: whoever reads that a target was not reached sees where the time or
 * the memory went. All figures of the contender, those of the one it is compared with in brackets.
 */
export function reasonOf(target: Target, results: readonly SceneResult[]): string {
  const result = results.find(({ scene }) => scene.id === target.scene);
  if (!result) return 'this run had no such scene';
  const { contender, to, absolute } = target;
  const own = sceneRows(result).find((row) => row.contender === contender);
  if (!own) return `this run had no ${contender}`;
  if (own.skipped !== undefined) return `skipped: ${own.skipped}`;
  const [problem] = own.problems;
  if (own.runs === 0) return problem ?? 'no run of it has figures';
  const otherScene = results.find(({ scene }) => scene.id === (to?.scene ?? target.scene));
  const name = to?.contender ?? 'bullmq6';
  const other = absolute || !otherScene ? undefined : named(otherScene, name);
  const figures = Object.entries(own.figures).filter(([, value]) => value !== 0);
  const texts = figures.map(([figure, value]) => {
    const beside = other?.figures[figure];
    return `${figure} ${numberText(value)}${beside === undefined ? '' : ` (${numberText(beside)})`}`;
  });
  return [texts.join(', '), target.inTheWay ?? ''].filter((text) => text !== '').join('. ');
}

/** The same of a transition. */
export function reasonOfCalls({ ours, yardstick }: CallRow): string {
  const times = `${numberText(ours.us)} µs (${numberText(yardstick.us)})`;
  return `${times}, ${numberText(ours.commands)} commands (${numberText(yardstick.commands)})`;
}

function named(result: SceneResult, contender: string) {
  return sceneRows(result).find((row) => row.contender === contender);
}
