import type { Problems } from './problems.js';
import type { Lib, ScriptSource, Source, Sources } from './sources.js';

/** Facts, places, family, store, ends, fetch, moves: the seven layers of docs/adr/0003-lua-layers.md, and no eighth. */
export const DEEPEST_CHAIN = 7;

/** The libs that each script reaches, in the order in which they must stand in its bundle. */
export type Closures = ReadonlyMap<ScriptSource, readonly Lib[]>;

/** Follows the `@include` lines of every script. */
export function resolveIncludes(sources: Sources, problems: Problems): Closures {
  const closures = new Map<ScriptSource, readonly Lib[]>();
  const walker = new IncludeWalker(sources, problems);
  for (const script of sources.scripts) closures.set(script, walker.closureOf(script));
  return closures;
}

/** The libs that a file reaches through its `@include` lines, without looking for faults. */
export function includedLibs(source: Source, sources: Sources): Set<Lib> {
  const found = new Set<Lib>();
  const queue: Source[] = [source];
  for (let next = queue.pop(); next; next = queue.pop()) {
    for (const { name } of next.header.includes) {
      const lib = sources.libs.get(name);
      if (!lib || found.has(lib)) continue;
      found.add(lib);
      queue.push(lib);
    }
  }
  return found;
}

class IncludeWalker {
  readonly #sources: Sources;
  readonly #problems: Problems;
  /** One chain that is too long is told per line of `@include`, not all of them. */
  readonly #told = new Set<string>();

  constructor(sources: Sources, problems: Problems) {
    this.#sources = sources;
    this.#problems = problems;
  }

  closureOf(script: ScriptSource): readonly Lib[] {
    const ordered: Lib[] = [];
    this.#visit(script, [], ordered);
    return ordered;
  }

  #visit(source: Source, chain: readonly Lib[], ordered: Lib[]): void {
    const { path } = source.file;
    for (const { name, line } of source.header.includes) {
      const lib = this.#sources.libs.get(name);
      const names = [...chain.map((entry) => entry.name), name].join(' -> ');
      if (!lib) {
        this.#problems.add(path, line, `includes ${name}: there is no lua/lib/${name}.lua`);
        continue;
      }
      if (chain.includes(lib)) {
        this.#problems.add(path, line, `the includes go in a circle: ${names}`);
        continue;
      }
      if (chain.length === DEEPEST_CHAIN) this.#tellTooDeep(path, line, names);
      // Also where the lib is known already: another way to it may be too long.
      this.#visit(lib, [...chain, lib], ordered);
      if (!ordered.includes(lib)) ordered.push(lib);
    }
  }

  #tellTooDeep(path: string, line: number, names: string): void {
    if (this.#told.has(`${path}:${line}`)) return;
    this.#told.add(`${path}:${line}`);
    this.#problems.add(path, line, `includes nest more than ${DEEPEST_CHAIN} deep: ${names}`);
  }
}
