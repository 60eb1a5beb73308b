import type { ContenderName, Place } from '../contender.js';
import type { Figures, Params } from '../measure.js';
import type { MeasureName } from '../measures/index.js';

/** What a run's own process is told. */
export interface RunSpec {
  readonly contender: ContenderName;
  readonly measure: MeasureName;
  readonly params: Params;
  readonly place: Place;
}

/** What it answers, as the last line of its output. */
export type RunAnswer = { readonly figures: Figures } | { readonly problem: string };

/** How that line begins. */
export const ANSWER = 'ANSWER ';
