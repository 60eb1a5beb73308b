/** The conformance suite of the worker protocol of `echomq.v1`. */
export type { Case } from './cases/case.js';
export { CASES } from './cases/index.js';
export { main } from './main.js';
export { type Report, runSuite, type SuiteOptions } from './suite.js';
export { table } from './table.js';
export type { Grade, Verdict } from './verdict.js';
