import { isBuiltin } from 'node:module';
import { posix } from 'node:path';
import type { House } from '../house.js';
import { moduleRequests } from '../module-requests.js';
import type { Problem } from '../problems.js';
import { TABLE } from '../table.js';
import { allows } from './imports.js';

/** What each entry reaches, file by file: the main entry of the SDK loads no engine, its embedded one no gRPC. */
export function checkEntries(house: House): readonly Problem[] {
  const texts = new Map(house.tree.files.map(({ path, text }) => [path, text]));
  return Object.entries(TABLE).flatMap(([folder, { entries = {} }]) =>
    Object.entries(entries).flatMap(([entry, { may, types = [] }]) =>
      walk(texts, `${folder}/${entry}`).flatMap(({ path, line, specifier, typesOnly }) =>
        allows(typesOnly ? [...may, ...types] : may, specifier)
          ? []
          : [{ path, line, message: `imports ${specifier}, and ${folder}/${entry} comes here` }],
      ),
    ),
  );
}

interface Found {
  readonly path: string;
  readonly line: number;
  readonly specifier: string;
  readonly typesOnly: boolean;
}

/** Follows relative imports from a file; returns every import of a package that is met. */
function walk(texts: ReadonlyMap<string, string>, entry: string): readonly Found[] {
  const found: Found[] = [];
  const seen = new Set([entry]);
  for (const path of seen) {
    for (const { specifier, line, typesOnly = false } of moduleRequests(texts.get(path) ?? '')) {
      if (specifier === undefined) continue;
      if (specifier.startsWith('.')) seen.add(sourceOf(path, specifier));
      else found.push({ path, line, specifier: withProtocol(specifier), typesOnly });
    }
  }
  return found;
}

/** The source of what is imported by the name of what it compiles to. */
function sourceOf(path: string, specifier: string): string {
  return posix.join(posix.dirname(path), specifier).replace(/\.js$/, '.ts');
}

function withProtocol(specifier: string): string {
  return isBuiltin(specifier) && !specifier.startsWith('node:') ? `node:${specifier}` : specifier;
}
