import type { House } from '../house.js';
import type { Problem } from '../problems.js';
import { isGenerated, isScript, type SourceFile } from '../source-files.js';
import { tokenize } from '../tokens.js';
import { workspaceOf } from '../workspaces.js';
import { isTest } from './imports.js';

const REFUSED_FOLDER = /(?:^|\/)(?:utils|common|helpers|types|interfaces)$/;

/** Folders by what they hold, not by what it is made of: a type lives with its use. */
export function checkFolders({ tree }: House): readonly Problem[] {
  return tree.folders
    .filter((folder) => REFUSED_FOLDER.test(folder))
    .map((path) => ({ path, line: 1, message: 'a folder is named after what it holds' }));
}

/** BullMQ's short names that mean nothing else, as a word or as a string. */
const SHORT = new Set(['atm', 'ats', 'stc', 'deid', 'rjk', 'defa', 'fpof', 'cpof', 'idof', 'rdof']);
/** Those that may be somebody's variable, as a string or behind a dot. `de` is not here: it is part of a key too. */
const SHORT_TEXTS = new Set(['pb', 'kl', 'tm', 'omc']);

/** The one Lua file and the one TypeScript file that spell them out. */
const DICTIONARIES = new Set(['lua/lib/fields.lua', 'packages/core/src/job-fields.ts']);

/** BullMQ's short names of fields and options stand in two files; tests may write whole hashes. */
export function checkShortNames({ tree, workspaces }: House): readonly Problem[] {
  return tree.files.filter(isSubject).flatMap(({ path, text }) =>
    shortNames(path, text).map(({ name, line }) => ({
      path,
      line,
      message: `${name} is BullMQ's short name: spelt out in ${[...DICTIONARIES].join(' and ')} only`,
    })),
  );

  function isSubject(file: SourceFile): boolean {
    const { path } = file;
    if (DICTIONARIES.has(path) || isGenerated(path)) return false;
    if (/^lua\/(lib|transitions|queries)\//.test(path)) return true;
    const shipped =
      /^(packages|apps)\//.test(path) && !/^packages\/(testkit|compat|scenarios)\//.test(path);
    return shipped && isScript(path) && !isTest(file, workspaceOf(path, workspaces));
  }
}

function shortNames(path: string, text: string): { name: string; line: number }[] {
  // Lua's words, strings and dots look like JavaScript's once its comments are gone.
  const tokens = tokenize(path.endsWith('.lua') ? text.replace(/--[^\n]*/g, '') : text);
  return tokens.flatMap(({ kind, text: name, line }, at) => {
    const named = kind === 'string' || (kind === 'word' && tokens[at - 1]?.text === '.');
    const short = (kind === 'word' && SHORT.has(name)) || (named && isShort(name));
    return short ? [{ name, line }] : [];
  });
}

function isShort(name: string): boolean {
  return SHORT.has(name) || SHORT_TEXTS.has(name);
}
