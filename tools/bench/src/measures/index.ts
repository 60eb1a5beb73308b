import type { Measure } from '../measure.js';
import { measureAdd } from './add.js';
import { measureDelayed } from './delayed.js';
import { measureIdle } from './idle.js';
import { measureMemory } from './memory.js';
import { measurePickUp } from './pick-up.js';
import { measureProcess } from './process.js';

/** The ways to measure, by name. */
export const MEASURES = {
  add: measureAdd,
  delayed: measureDelayed,
  idle: measureIdle,
  memory: measureMemory,
  pickUp: measurePickUp,
  process: measureProcess,
} as const satisfies Readonly<Record<string, Measure>>;

/** The name of a measure. */
export type MeasureName = keyof typeof MEASURES;
