import { isBuiltin } from 'node:module';
import type { House } from '../house.js';
import { moduleRequests } from '../module-requests.js';
import type { Problem } from '../problems.js';
import { isScript, type SourceFile } from '../source-files.js';
import { type Token, tokenize } from '../tokens.js';
import { workspaceOf } from '../workspaces.js';
import { isTest } from './imports.js';

/** Something that needs no import to be used, and where its use is refused. */
interface Ban {
  readonly places: RegExp;
  readonly modules: RegExp;
  /** The name itself, or the two ends of `object.member`. */
  readonly names: readonly string[];
  readonly message: string;
}

const BANS: readonly Ban[] = [
  {
    places: /^packages\/(core|engine)\/src\//,
    modules: /^process$/,
    names: ['process.env'],
    message: 'reads the environment: that is for apps, which pass on what they read',
  },
  {
    // The entry that holds a Redis client may wait for it.
    places: /^packages\/core\/src\/(?!ioredis\/)/,
    modules: /^timers(\/promises)?$/,
    names: ['setTimeout', 'setInterval', 'setImmediate', 'AbortSignal.timeout'],
    message: 'starts a timer: the core has none, what comes later is the engine’s',
  },
  {
    places: /^packages\/core\/src\//,
    modules: /^console$/,
    names: ['console'],
    message: 'logs: the core throws or returns what there is to say',
  },
];

/** The environment, timers and the console, where they do not belong. */
export function checkAmbient(house: House): readonly Problem[] {
  return house.tree.files
    .filter(
      (file) => isScript(file.path) && !isTest(file, workspaceOf(file.path, house.workspaces)),
    )
    .flatMap((file) =>
      BANS.filter(({ places }) => places.test(file.path)).flatMap((ban) => broken(file, ban)),
    );
}

function broken({ path, text }: SourceFile, ban: Ban): Problem[] {
  const tokens = tokenize(text);
  const used = tokens.filter((_, at) =>
    ban.names.some((name) => isUse(tokens, at, name.split('.'))),
  );
  const imported = moduleRequests(text).filter(
    ({ specifier = '' }) =>
      isBuiltin(specifier) && ban.modules.test(specifier.replace(/^node:/, '')),
  );
  const lines = new Set([...used, ...imported].map(({ line }) => line));
  return [...lines].map((line) => ({ path, line, message: ban.message }));
}

/** `process.env`, `process?.env`, `process['env']`; a lone name only where it is no member of something. */
function isUse(tokens: readonly Token[], at: number, [object, member]: string[]): boolean {
  const token = tokens[at];
  if (token?.kind !== 'word' || token.text !== object) return false;
  const before = tokens[at - 1]?.text;
  const global = before !== '.' || tokens[at - 2]?.text === 'globalThis';
  if (!global || tokens[at + 1]?.text === ':') return false;
  if (member === undefined) return true;
  return tokens.slice(at + 1, at + 4).find(({ text }) => !/^[?.[]$/.test(text))?.text === member;
}
