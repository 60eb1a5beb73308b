import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { CACHE, ROOT } from './root.js';
import { toolchain } from './toolchain.js';

/** A worker's program, ready to be started in {@link ROOT}; its flags come after `args`. */
export interface WorkerProgram {
  readonly binary: string;
  readonly args: readonly string[];
  /** Added to the environment. */
  readonly env: Readonly<Record<string, string>>;
}

/** A program, or why it cannot be had. */
export type Found = WorkerProgram | { readonly missing: string };

/** A worker in some language. */
export interface LanguageWorker {
  /** What people call it. */
  readonly title: string;
  /** As its sessions say it (`worker.sdk.language`). */
  readonly language: string;
  /** Builds it where that is needed. @throws Error when it does not build */
  find(): Found;
}

const PYTHON_PATH = { PYTHONPATH: join(ROOT, 'packages/worker-python/src') };

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
};

function node(script: string): Found {
  return { binary: process.execPath, args: [join(ROOT, script)], env: {} };
}

function python(script: string): Found {
  const chain = toolchain('python');
  if ('missing' in chain) return chain;
  return { binary: chain.tool, args: [join(ROOT, script)], env: PYTHON_PATH };
}

const built = new Map<string, WorkerProgram>();

/** Builds a Go program into the cache: the processes that are started must be the workers themselves. */
function go(folder: string, what: string): Found {
  const chain = toolchain('go');
  if ('missing' in chain) return chain;
  const place = `${folder}/${what}`;
  const known = built.get(place);
  if (known) return known;
  const binary = join(CACHE, 'bin', place.replaceAll(/[^\w]+/g, '-'));
  // Several test files build at once: each its own file, then one name for all.
  const own = `${binary}.${process.pid}`;
  const script = '"$0" build -o "$1" "$2" && mv "$1" "$3"';
  const { status, stderr } = spawnSync('sh', ['-c', script, chain.tool, own, what, binary], {
    cwd: join(ROOT, folder),
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`${place} does not build: ${stderr}`);
  const program = { binary, args: [], env: {} };
  built.set(place, program);
  return program;
}
