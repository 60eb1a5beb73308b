import { readFileSync } from 'node:fs';
import { checkLibUse } from './checks/lib-use.js';
import { checkBundle, checkParameters } from './checks/limits.js';
import { checkNames } from './checks/names.js';
import { checkQueries } from './checks/query-writes.js';
import { checkRejections, readRejections } from './checks/rejections.js';
import { checkScores } from './checks/scores.js';
import { resolveIncludes } from './includes.js';
import { type Problem, Problems } from './problems.js';
import { checkUsual } from './rare.js';
import { resolveReach } from './reach.js';
import { readSources } from './sources.js';
import { type Bundle, bundle } from './write-dist.js';
import { writeDocs } from './write-docs.js';
import { writeRejections, writeScripts, writeTemplate } from './write-typescript.js';

/** What a run makes of lua/: files by path from the root, or the problems and no files. */
export interface Generated {
  readonly files: ReadonlyMap<string, string>;
  readonly problems: readonly Problem[];
}

/** The folders that hold generated files only: whatever else is in them is stale. */
export const GENERATED_FOLDERS = ['lua/dist', 'lua/gen'] as const;

const TEMPLATE = new URL('../src/template/script.ts', import.meta.url);

/** Checks lua/ under a root and makes the bundles, the TypeScript and the docs. Writes nothing. */
export function generate(root: string): Generated {
  const problems = new Problems();
  const sources = readSources(root, problems);
  const closures = resolveIncludes(sources, problems);
  const reach = resolveReach(sources, closures);
  const rejections = readRejections(sources, problems);
  checkNames(sources, problems);
  checkParameters(sources, problems);
  checkLibUse(sources, { closures, reach }, problems);
  checkQueries(reach, problems);
  checkScores(sources, problems);
  checkRejections(sources, { reach, rejections }, problems);
  const bundles: Bundle[] = [];
  const files = new Map<string, string>();
  for (const script of sources.scripts) {
    const parts = { libs: closures.get(script) ?? [], reached: reach.get(script) ?? [] };
    checkUsual(script, parts, problems);
    const made = bundle(script, parts);
    const path = `lua/dist/${script.label}.lua`;
    bundles.push(made);
    files.set(path, made.source);
    checkBundle(path, made.source, problems);
  }
  files.set('lua/gen/rejections.ts', writeRejections(rejections));
  files.set('lua/gen/script.ts', writeTemplate(readFileSync(TEMPLATE, 'utf8')));
  files.set('lua/gen/scripts.ts', writeScripts(bundles));
  files.set('docs/transitions.md', writeDocs(bundles, rejections));
  const found = problems.list();
  return { files: found.length === 0 ? files : new Map(), problems: found };
}
