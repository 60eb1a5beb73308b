export { type Generated, generate } from './generate.js';
export { differences, writeOutput } from './output.js';
export { formatProblem, type Problem } from './problems.js';
