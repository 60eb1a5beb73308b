import type { CallCase } from '../call-case.js';
import { ADDING } from './adding.js';
import { ENDING } from './ending.js';
import { KEEPING } from './keeping.js';

/** All transitions whose calls are counted, in the order of the table. */
export const CALL_CASES: readonly CallCase[] = [...ADDING, ...ENDING, ...KEEPING];
