/** The failure suite's own parts: the rig, the history and its checker, the books, the table of scenarios. Tests only. */
export { type BooksRules, checkBooks } from './books/check-books.js';
export { countsOf, idsIn, LOCATIONS, type Location, placesOf } from './books/places.js';
export { checkHistory, type HistoryRules } from './history/check-history.js';
export { type Entry, History, type Note } from './history/history.js';
export { cpuTimeMs } from './rig/cpu-time.js';
export { gatewayHere, gatewayProcess, type LogLine, type RigGateway } from './rig/gateways.js';
export { noteEnds, noting, runName } from './rig/note-worker.js';
export { type Part, RawClient, RawError, refusalOf } from './rig/raw-client.js';
export {
  add,
  addMany,
  complete,
  type Ending,
  fail,
  finish,
  span,
  take,
  takeOne,
} from './rig/raw-worker.js';
export { scaled, takeAsWritten } from './rig/scaled.js';
export { type Sweeper, useSweeper } from './rig/sweeper.js';
export {
  LOCK_MS,
  PATIENCE_MS,
  type Rig,
  type RigOptions,
  SWEEP_MS,
  useRig,
} from './rig/use-rig.js';
export { workedOff } from './rig/worked-off.js';
export { type WorkerProcess, workerProcess } from './rig/worker-process.js';
