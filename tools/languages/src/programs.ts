import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { CACHE, ROOT } from './root.js';
import { type Language, toolchain } from './toolchain.js';

/** A program, ready to be started in {@link ROOT}; its flags come after `args`. */
export interface WorkerProgram {
  readonly binary: string;
  readonly args: readonly string[];
  /** Added to the environment. */
  readonly env: Readonly<Record<string, string>>;
}

/** A program, or why it cannot be had. */
export type Found = WorkerProgram | { readonly missing: string };

/** A script that makes the program of the sample worker that its argument names. */
export const BUILD_WORKER = join(ROOT, 'tools/languages/build/build-worker.js');

/** Where cargo and Maven build; what they download they keep in their own places. */
const RUST_TARGET = join(CACHE, 'rust');
const JAVA_TARGET = join(CACHE, 'java');
const JAVA_JAR = join(JAVA_TARGET, 'sample-worker.jar');

/** Makes cargo build into the cache. */
export const RUST_ENV = { CARGO_TARGET_DIR: RUST_TARGET } as const;

/** The class path of the Java sample with what it stands on, and of the library's tests. */
export const JAVA_PATH = [JAVA_JAR, join(JAVA_TARGET, 'worker/test-classes')].join(':');

/** A script of this Node. */
export function node(script: string): Found {
  return { binary: process.execPath, args: [join(ROOT, script)], env: {} };
}

/** A script of the Python helper's virtual environment. */
export function python(script: string): Found {
  const env = { PYTHONPATH: join(ROOT, 'packages/worker-python/src') };
  return built('python', script, (tool) => ({ binary: tool, args: [join(ROOT, script)], env }));
}

/** Builds a Go program into the cache: the processes that are started must be the workers themselves. */
export function go(folder: string, what: string): Found {
  const place = `${folder}/${what}`;
  return built('go', place, (tool) => {
    const binary = join(CACHE, 'bin', place.replaceAll(/[^\w]+/g, '-'));
    // Several test files build at once: each its own file, then one name for all.
    const own = `${binary}.${process.pid}`;
    run(place, ['sh', '-c', '"$0" build -o "$1" "$2" && mv "$1" "$3"', tool, own, what, binary], {
      cwd: join(ROOT, folder),
    });
    return { binary, args: [], env: {} };
  });
}

/** Builds all of the Rust, and gives one of its programs. cargo lets one build at a time. */
export function rust(name: string): Found {
  return built('rust', name, (tool) => {
    const args = [
      'build',
      '--release',
      '--locked',
      '--quiet',
      '--workspace',
      '--bins',
      '--examples',
    ];
    run(name, [tool, ...args], { cwd: ROOT, env: RUST_ENV });
    return { binary: join(RUST_TARGET, 'release', name), args: [], env: {} };
  });
}

/** What lets a JVM start sooner, at the cost of a long life's speed; the archive is that of the jar alone. */
const JAVA_SOON = [
  `-XX:SharedArchiveFile=${join(JAVA_TARGET, 'sample-worker.jsa')}`,
  '-XX:TieredStopAtLevel=1',
  '-XX:+UseSerialGC',
];

/** Builds the Java sample, and gives its worker. */
export function javaWorker(): Found {
  return java('worker', [...JAVA_SOON, '-jar', JAVA_JAR]);
}

/** Builds the Java library and its sample, and gives a class of the library's tests. */
export function javaTest(mainClass: string): Found {
  return java(mainClass, ['-cp', JAVA_PATH, mainClass]);
}

function java(name: string, args: readonly string[]): Found {
  return built('java', name, (tool) => {
    const script = join(ROOT, 'tools/languages/bin/build-java.sh');
    run('packages/worker-java with its sample', ['sh', script, tool, JAVA_TARGET], { cwd: ROOT });
    return { binary: 'java', args, env: {} };
  });
}

const known = new Map<string, WorkerProgram>();

/** @param make builds it with the language's tool, once in this process */
function built(language: Language, name: string, make: (tool: string) => WorkerProgram): Found {
  const chain = toolchain(language);
  if ('missing' in chain) return chain;
  const before = known.get(`${language} ${name}`);
  if (before) return before;
  const program = make(chain.tool);
  known.set(`${language} ${name}`, program);
  return program;
}

/** @throws Error with what the command said, when it fails */
function run(
  what: string,
  [command = '', ...args]: readonly string[],
  { cwd, env }: { readonly cwd: string; readonly env?: Readonly<Record<string, string>> },
): void {
  const options = { cwd, encoding: 'utf8', env: { ...process.env, ...env } } as const;
  const { status, stdout, stderr } = spawnSync(command, args, options);
  if (status !== 0) throw new Error(`${what} does not build: ${stdout}${stderr}`);
}
