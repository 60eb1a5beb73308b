import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/** A part of a page that a command writes, between two comments; people write around it. */
export class GeneratedPart {
  readonly #begin: string;
  readonly #end: string;

  /** @param command as it is typed */
  constructor(name: string, command: string) {
    this.#begin = `<!-- ${name}: written by \`${command}\` -->`;
    this.#end = `<!-- ${name}: end -->`;
  }

  /** The part with its comments. */
  around(content: string): string {
    return `${this.#begin}\n\n${content}\n\n${this.#end}`;
  }

  /** What stands in a page; empty where it has no such part. */
  in(page: string): string {
    const [from, to] = this.#place(page);
    return from < 0 ? '' : page.slice(from + this.#begin.length, to).trim();
  }

  /** The page around the part, for whoever wants to see that it stays. */
  outside(page: string): string {
    const [from, to] = this.#place(page);
    return from < 0 ? page : page.slice(0, from) + page.slice(to + this.#end.length);
  }

  /**
   * Puts new content in the place of the old.
   *
   * @throws Error when the page has no such part.
   */
  replaced(page: string, content: string): string {
    const [from, to] = this.#place(page);
    if (from < 0) throw new Error(`there is no part between ${this.#begin} and ${this.#end}`);
    return page.slice(0, from) + this.around(content) + page.slice(to + this.#end.length);
  }

  /**
   * Writes the part into a file; one that is not there begins with the title.
   *
   * @returns the path
   * @throws Error when the file has no such part.
   */
  async write(path: string, content: string, title: string): Promise<string> {
    const page = existsSync(path)
      ? await readFile(path, 'utf8')
      : `${title}\n\n${this.around('')}\n`;
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, this.replaced(page, content));
    return path;
  }

  #place(page: string): readonly [from: number, to: number] {
    const from = page.indexOf(this.#begin);
    const to = page.indexOf(this.#end, from);
    return from < 0 || to < 0 ? [-1, -1] : [from, to];
  }
}
