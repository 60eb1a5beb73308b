import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The repository as the walk reads it; paths from the root, with `/`. */
export class Tree {
  readonly #texts = new Map<string, string>();

  constructor(readonly root: string) {}

  has(path: string): boolean {
    return existsSync(join(this.root, path));
  }

  /** The text of a file; empty where there is none. */
  text(path: string): string {
    const known = this.#texts.get(path);
    if (known !== undefined) return known;
    const text = this.has(path) ? readFileSync(join(this.root, path), 'utf8') : '';
    this.#texts.set(path, text);
    return text;
  }

  /** The names in a folder, sorted; none where there is no folder. */
  names(folder: string): readonly string[] {
    return this.has(folder) ? readdirSync(join(this.root, folder)).sort() : [];
  }

  /** Every TypeScript file below a folder. */
  scripts(folder: string): readonly string[] {
    if (!this.has(folder)) return [];
    return readdirSync(join(this.root, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts') && !/(^|\/)(node_modules|build)\//.test(path))
      .map((path) => `${folder}/${path}`)
      .sort();
  }
}
