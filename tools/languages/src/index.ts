/** The other languages: where their tools are, their sample workers, what holds for all of them. */
export { CACHE, ROOT } from './root.js';
export { skipNote, type Toolchain, toolchain } from './toolchain.js';
export {
  type Found,
  HELPERS,
  type LanguageWorker,
  PAYLOAD_PROGRAMS,
  SAMPLE_WORKERS,
  type WorkerProgram,
} from './worker-programs.js';
