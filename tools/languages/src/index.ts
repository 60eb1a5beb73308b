/** The other languages: where their tools are, their sample workers, what holds for all of them. */
export {
  BUILD_WORKER,
  type Found,
  JAVA_PATH,
  javaWorker,
  RUST_ENV,
  rust,
  type WorkerProgram,
} from './programs.js';
export { CACHE, ROOT } from './root.js';
export {
  inFull,
  LANGUAGES,
  type Language,
  SMOKE,
  skipNote,
  type Toolchain,
  toolchain,
} from './toolchain.js';
export {
  HELPERS,
  type LanguageWorker,
  PAYLOAD_PROGRAMS,
  SAMPLE_WORKERS,
} from './worker-programs.js';
