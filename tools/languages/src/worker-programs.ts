import { type Found, go, javaTest, javaWorker, node, python, rust } from './programs.js';

/** A worker in some language. */
export interface LanguageWorker {
  /** What people call it. */
  readonly title: string;
  /** As its sessions say it (`worker.sdk.language`). */
  readonly language: string;
  /** Builds it where that is needed. @throws Error when it does not build */
  find(): Found;
}

/** The sample workers, by the names that `demo --workers` takes. Another language is one more line. */
export const SAMPLE_WORKERS: Readonly<Record<string, LanguageWorker>> = {
  ts: {
    title: 'sample worker in TypeScript',
    language: 'typescript',
    find: () => node('apps/sample-worker/build/main.js'),
  },
  python: {
    title: 'sample worker in Python',
    language: 'python',
    find: () => python('apps/sample-worker-python/worker.py'),
  },
  go: {
    title: 'sample worker in Go',
    language: 'go',
    find: () => go('apps/sample-worker-go', '.'),
  },
  java: {
    title: 'sample worker in Java',
    language: 'java',
    find: () => javaWorker(),
  },
  rust: {
    title: 'sample worker in Rust',
    language: 'rust',
    find: () => rust('sample-worker'),
  },
};

/** The helpers alone, with a buffer beyond the concurrency: what the suite grades besides the samples. */
export const HELPERS: Readonly<Record<string, LanguageWorker>> = {
  'helper-python': {
    title: 'helper for Python, with a buffer',
    language: 'python',
    find: () => python('packages/worker-python/tests/conformance_worker.py'),
  },
  'helper-go': {
    title: 'helper for Go, with a buffer',
    language: 'go',
    find: () => go('packages/worker-go', './internal/conformance'),
  },
};

/** Programs that add and take jobs byte for byte, by language: `write` and `read` of the payload table. */
export const PAYLOAD_PROGRAMS: Readonly<Record<string, () => Found>> = {
  python: () => python('packages/worker-python/tests/payloads.py'),
  go: () => go('packages/worker-go', './internal/payloads'),
  java: () => javaTest('echomq.worker.Payloads'),
  rust: () => rust('examples/payloads'),
};
