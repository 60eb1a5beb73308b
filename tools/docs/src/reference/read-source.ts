import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** What a class or an interface has, with what its docstring says. */
export interface Member {
  readonly text: string;
  readonly doc: string;
}

/** An exported declaration. */
export interface Declaration {
  readonly name: string;
  readonly kind: string;
  /** Its head, on one line. */
  readonly text: string;
  readonly doc: string;
  readonly members: readonly Member[];
  /** The class that it extends, where that is one of the package. */
  readonly base?: { readonly name: string; readonly path: string };
}

/** An exported name and the file that declares it. */
export interface Exported {
  readonly name: string;
  readonly path: string;
}

/** The names that an entry exports from other files, in their order; those of `export *` included. */
export function exportsOf(path: string): readonly Exported[] {
  const text = readFileSync(path, 'utf8');
  const pattern = /^export (?:type )?(?:\{([^}]*)\}|\*) from '(\.[^']+)';/gm;
  return [...text.matchAll(pattern)].flatMap(([, names, from = '']) => {
    const file = join(dirname(path), from.replace(/\.js$/, '.ts'));
    if (names === undefined) return exportsOf(file);
    return names
      .split(',')
      .map((name) => name.replace(/\btype /, '').trim())
      .filter((name) => name !== '')
      .map((name) => ({ name, path: file }));
  });
}

/** A declaration, as Biome lays it out: docstring, head, members two spaces in. @throws Error when it is not there */
export function readDeclaration({ name, path }: Exported): Declaration {
  const text = readFileSync(path, 'utf8');
  const head = new RegExp(
    `(?:/\\*\\*((?:(?!\\*/)[\\s\\S])*)\\*/\\n)?export (?:declare )?((?:abstract )?(?:class|interface|type|function|const)) ${name}\\b`,
  ).exec(text);
  if (head === null) throw new Error(`${path} does not export ${name}`);
  const [whole, doc = '', kind = ''] = head;
  const lines = text.slice(head.index + whole.lastIndexOf('export ')).split('\n');
  const end = lines.findIndex((line) => (/^(type|const)/.test(kind) ? /;$/ : /^\}/).test(line));
  const own = lines.slice(0, end + 1);
  const opening = own.findIndex((line) => line.endsWith('{'));
  const isBody = /class|interface/.test(kind) && opening >= 0;
  const shown = isBody ? own.slice(0, opening + 1) : kind === 'function' ? headOf(own) : own;
  const base = /class/.test(kind)
    ? baseOf(own.slice(0, opening + 1).join(' '), text, path)
    : undefined;
  return {
    name,
    kind,
    text: oneLine(shown)
      .replace(/^export (abstract )?/, '')
      .replace(/ \{$/, ''),
    doc: wordsOf(doc),
    members: isBody ? membersOf(own.slice(opening + 1, -1)) : [],
    ...(base === undefined ? {} : { base }),
  };
}

/** The lines of a function before its body. */
function headOf(lines: readonly string[]): readonly string[] {
  const body = lines.findIndex((line) => / \{$/.test(line));
  return lines.slice(0, body + 1);
}

function baseOf(head: string, text: string, path: string): Declaration['base'] {
  const name = / extends (\w+)/.exec(head)?.[1];
  if (name === undefined) return undefined;
  const from = new RegExp(`import (?:type )?\\{[^}]*\\b${name}\\b[^}]*\\} from '(\\.[^']+)'`).exec(
    text,
  )?.[1];
  if (from === undefined) return undefined;
  const file = join(dirname(path), from.replace(/\.js$/, '.ts'));
  return existsSync(file) ? { name, path: file } : undefined;
}

/** Public members with a docstring; what is marked `@internal` is not the user's. */
function membersOf(lines: readonly string[]): readonly Member[] {
  const members: Member[] = [];
  let doc: string[] | undefined;
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    if (line.startsWith('  /**')) {
      doc = [];
      while (!(lines[at] ?? '').endsWith('*/')) doc.push(lines[at++] ?? '');
      doc.push(lines[at] ?? '');
      continue;
    }
    if (doc === undefined || !/^ {2}[\w[*#]/.test(line)) continue;
    const words = wordsOf(
      doc
        .join('\n')
        .replace(/^ *\/\*\*/, '')
        .replace(/\*\/$/, ''),
    );
    doc = undefined;
    const rest = lines.slice(at);
    const end = rest.findIndex((each) => /(;| \{)$/.test(each));
    const text = oneLine(rest.slice(0, end + 1)).replace(/( \{|;)$/, '');
    if (!words.includes('@internal') && !/^(#|private|protected)/.test(text)) {
      members.push({
        text: text.replace(/^(abstract |async |override |readonly )+/, ''),
        doc: words,
      });
    }
  }
  return members;
}

function oneLine(lines: readonly string[]): string {
  return lines
    .map((line) => line.trim())
    .join(' ')
    .replaceAll('( ', '(')
    .replaceAll(', )', ')')
    .replaceAll('< ', '<')
    .replaceAll(', >', '>')
    .trim();
}

/** A docstring without its stars; an example is left out. */
function wordsOf(doc: string): string {
  const text = doc.replaceAll(/^ *\* ?/gm, '').trim();
  return text.split('@example')[0]?.trim() ?? '';
}
