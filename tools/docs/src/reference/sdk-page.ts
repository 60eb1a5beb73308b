import { join } from 'node:path';
import { ROOT } from '../pages.js';
import { type Declaration, exportsOf, type Member, readDeclaration } from './read-source.js';

const SDK = join(ROOT, 'packages/sdk/src');

/** The entries of the SDK with the files that make them. */
const ENTRIES: readonly (readonly [string, string])[] = [
  ['@echomq/sdk', join(SDK, 'index.ts')],
  ['@echomq/sdk/embedded', join(SDK, 'embedded/index.ts')],
  ['@echomq/sdk/otel', join(SDK, 'otel/index.ts')],
];

/** docs/reference/sdk.md, from the docstrings as they are. */
export function sdkPage(): string {
  const seen = new Set<string>();
  const parts = ENTRIES.map(([entry, path]) => {
    const own = exportsOf(path).filter(({ name }) => !seen.has(name));
    for (const { name } of own) seen.add(name);
    const declared = own.map(readDeclaration).sort(byKind);
    return `## ${entry}\n\n${declared.map((each) => declarationText(each, seen)).join('\n\n')}`;
  });
  return `${HEAD}\n\n${parts.join('\n\n')}\n`;
}

const HEAD = `# The SDK for TypeScript

<!-- Made by tools/docs/src/reference from the docstrings of packages/sdk: run \`pnpm generate\`. -->

Everything that its entries export. What \`@echomq/sdk\` exports, but for \`connect\`, \`@echomq/sdk/embedded\` exports
too. How it is used: [quick start](../quick-start.md), [how-tos](../README.md#how-to).`;

const KINDS = ['function', 'const', 'class', 'abstract class', 'interface', 'type'];

/** What is called first, then classes, then shapes; else by name. */
function byKind(a: Declaration, b: Declaration): number {
  const difference = KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind);
  return difference === 0 ? a.name.localeCompare(b.name, 'en') : difference;
}

function declarationText(declaration: Declaration, exported: ReadonlySet<string>): string {
  const { name, doc } = declaration;
  const members = inherited(declaration, exported).map(memberText).join('\n');
  return [`### ${name}`, `\`${declaration.text}\``, paragraphs(doc), members]
    .filter((part) => part !== '')
    .join('\n\n');
}

/** Its members with those of its bases, but for a base that is explained itself. */
function inherited(
  { members, base }: Declaration,
  exported: ReadonlySet<string>,
): readonly Member[] {
  if (base === undefined) return members;
  if (exported.has(base.name)) {
    const text = base.name;
    return [...members, { text, doc: 'and all that it has.' }];
  }
  const below = inherited(readDeclaration(base), exported);
  const own = new Set(members.map(nameOf));
  return [...members, ...below.filter((member) => !own.has(nameOf(member)))];
}

function nameOf({ text }: Member): string {
  return /^[\w ]*?(\w+|\[.*?\])(?=\W|$)/.exec(text)?.[1] ?? text;
}

function memberText({ text, doc }: Member): string {
  return `- \`${text}\`: ${paragraphs(doc).replaceAll('\n\n', ' ').replaceAll('\n', ' ')}`;
}

/** A docstring as a page has it: links of code as code, tags as words. */
function paragraphs(doc: string): string {
  return doc
    .replaceAll(/\{@link (?:\w+\.)?(\w+)\}/g, '`$1`')
    .replaceAll(/^@param (?:\w+\.)?(\w+) /gm, '`$1`: ')
    .replaceAll(/@returns /g, 'Returns ')
    .replaceAll(/@throws /g, 'Throws ')
    .replaceAll('<', '&lt;');
}
