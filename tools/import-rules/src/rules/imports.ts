import { isBuiltin } from 'node:module';
import { posix } from 'node:path';
import type { House } from '../house.js';
import { type ModuleRequest, moduleRequests } from '../module-requests.js';
import type { Problem } from '../problems.js';
import { isScript, type SourceFile } from '../source-files.js';
import { EXTERNALS, OUTSIDE_IMPORTS, TABLE } from '../table.js';
import { packageName, type Workspace, workspaceOf } from '../workspaces.js';

/** Every import of every file against the table, the exports of its target and its own package.json. */
export function checkImports(house: House): readonly Problem[] {
  return house.tree.files
    .filter(({ path }) => isScript(path))
    .flatMap((file) => {
      const from = workspaceOf(file.path, house.workspaces);
      return moduleRequests(file.text).flatMap((request) => {
        const message = judge(house, { file, from, request });
        return message === undefined ? [] : [{ path: file.path, line: request.line, message }];
      });
    });
}

interface Case {
  readonly file: SourceFile;
  readonly from: Workspace | undefined;
  readonly request: ModuleRequest;
}

/** Whether a file is there for tests only. */
export function isTest({ path }: SourceFile, from: Workspace | undefined): boolean {
  const inside = path.slice(from === undefined ? 0 : from.folder.length + 1);
  return /\.test\.[mc]?ts$/.test(inside) || !/^(src|gen|bin)\//.test(inside);
}

/** Whether one of the entries allows a specifier; `x/*` allows every entry below `x`, `node:*` every builtin. */
export function allows(entries: readonly string[], specifier: string): boolean {
  return entries.some((entry) =>
    entry.endsWith('*') ? specifier.startsWith(entry.slice(0, -1)) : covers(entry, specifier),
  );
}

/** A workspace entry is exact; an external's covers its subpaths. */
function covers(entry: string, specifier: string): boolean {
  if (entry === specifier) return true;
  return !entry.startsWith('@echomq/') && specifier.startsWith(`${entry}/`);
}

function judge(house: House, { file, from, request }: Case): string | undefined {
  const { specifier } = request;
  const test = isTest(file, from);
  if (specifier === undefined) {
    const free = test || from === undefined || from.folder.startsWith('tools/');
    return free ? undefined : 'imports what is computed: nobody can check that';
  }
  if (specifier.startsWith('.')) return judgePath(file, from, specifier);
  if (isBuiltin(specifier) || specifier.startsWith('node:')) return undefined;
  const target = house.workspaces.find(({ name }) => name === packageName(specifier));
  if (target) return judgeWorkspace({ file, from, request }, specifier, target);
  return judgeExternal(house, { file, from, request }, specifier);
}

function judgePath(
  file: SourceFile,
  from: Workspace | undefined,
  specifier: string,
): string | undefined {
  const target = posix.join(posix.dirname(file.path), specifier);
  const inside = from === undefined || target.startsWith(`${from.folder}/`);
  if (inside && !target.includes('node_modules/')) return undefined;
  if (OUTSIDE_IMPORTS.get(target)?.some((place) => place.test(file.path))) return undefined;
  return `reaches out of its package to ${target}: import the package by its name`;
}

function judgeWorkspace(
  { file, from }: Case,
  specifier: string,
  target: Workspace,
): string | undefined {
  if (!target.entries.includes(specifier)) {
    return `imports ${specifier}: ${target.name} exports only ${target.entries.join(', ')}`;
  }
  if (from === undefined) return `imports ${specifier}: the root's own files import no package`;
  const allowance = TABLE[from.folder];
  const test = isTest(file, from);
  const entries = test
    ? [...(allowance?.may ?? []), ...(allowance?.tests ?? []), '@echomq/testkit', from.name]
    : (allowance?.may ?? []);
  if (allows(entries, specifier)) return undefined;
  return `${from.folder} may not import ${specifier}${test ? ', not even in a test' : ''}: see tools/import-rules/src/table.ts`;
}

function judgeExternal(house: House, { file, from }: Case, specifier: string): string | undefined {
  const name = packageName(specifier);
  const tied = EXTERNALS.find(({ names }) => names.includes(name));
  if (tied && !tied.only.some((place) => place.test(file.path))) {
    return `${name} belongs in other places: see EXTERNALS in tools/import-rules/src/table.ts`;
  }
  if (from === undefined) return house.rootTools.has(name) ? undefined : `${name} is not declared`;
  if (from.dependencies.has(name)) return undefined;
  const forTests = from.devDependencies.has(name) || house.rootTools.has(name);
  if (isTest(file, from) && forTests) return undefined;
  return forTests
    ? `${name} is there for tests only: ${from.folder}/package.json has it in no dependencies`
    : `${name} is not declared in ${from.folder}/package.json`;
}
