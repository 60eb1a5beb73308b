import type { Case } from './case.js';
import { DIRECTIVES } from './directives.js';
import { HOLDING } from './holding.js';
import { LEAVING } from './leaving.js';
import { MOVING } from './moving.js';
import { OPENING } from './opening.js';
import { OWN_CLOCK } from './own-clock.js';
import { CONTENT } from './payloads.js';
import { RECONNECTING } from './reconnecting.js';
import { REFUSALS } from './refusals.js';
import { REPORTS } from './reports.js';
import { SIGNALS } from './signals.js';

/** Every case, in the order of the table. To add one, add it to its group. */
export const CASES: readonly Case[] = [
  ...OPENING,
  ...HOLDING,
  ...OWN_CLOCK,
  ...REPORTS,
  ...SIGNALS,
  ...RECONNECTING,
  ...REFUSALS,
  ...DIRECTIVES,
  ...MOVING,
  ...LEAVING,
  ...CONTENT,
];
