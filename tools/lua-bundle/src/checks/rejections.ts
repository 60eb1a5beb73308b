import { child, identifier, type Node, nodes, numberValue, walk } from '../ast.js';
import type { Problems } from '../problems.js';
import { type Reach, walkReached } from '../reach.js';
import type { Lib, Source, Sources } from '../sources.js';

/** The table REJECT of lua/lib/reject.lua: each rejection's code, in the table's order. */
export type Rejections = ReadonlyMap<string, number>;

/** Reads REJECT; refuses entries that are no numbers and codes that stand for two names. */
export function readRejections(sources: Sources, problems: Problems): Rejections {
  const lib = sources.libs.get('reject');
  const statement = lib?.defines.get('REJECT')?.[0];
  const table = statement && nodes(statement, 'init')[0];
  const codes = new Map<string, number>();
  if (!lib || table?.type !== 'TableConstructorExpression') {
    if (usesReject(sources)) {
      problems.add('lua/lib/reject.lua', 1, 'local REJECT = { NAME = code, … } is not here');
    }
    return codes;
  }
  for (const field of nodes(table, 'fields')) {
    const { line } = field.loc.start;
    const name = field.type === 'TableKeyString' ? identifier(child(field, 'key')) : undefined;
    const code = numberValue(child(field, 'value'));
    const twin = [...codes].find(([, known]) => known === code)?.[0];
    if (!name || code === undefined || !/^[A-Z][A-Z0-9_]*$/.test(name)) {
      problems.add(lib.file.path, line, 'REJECT holds only NAME = code, the code a number');
    } else if (twin) {
      problems.add(lib.file.path, line, `${name} and ${twin} have the same code ${code}`);
    } else codes.set(name, code);
  }
  return codes;
}

/** Refuses unknown names, and a script whose @rejects is not exactly what it can return. */
export function checkRejections(
  sources: Sources,
  found: { readonly reach: Reach; readonly rejections: Rejections },
  problems: Problems,
): void {
  for (const source of [...sources.libs.values(), ...sources.scripts]) {
    checkMentions(source, found.rejections, problems);
  }
  for (const script of sources.scripts) {
    const declared = new Set(script.header.rejects.map(({ name }) => name));
    const returned = new Set<string>();
    walkReached(found.reach.get(script) ?? [], (node, source, parent) => {
      const name = rejectName(node);
      if (name === undefined || comparesWith(parent)) return;
      returned.add(name);
      if (declared.has(name) || !found.rejections.has(name)) return;
      const message = `${script.label} can return REJECT.${name}, its @rejects does not say so`;
      problems.add(source.file.path, node.loc.start.line, message);
    });
    for (const { name, line } of script.header.rejects) {
      if (!found.rejections.has(name)) {
        problems.add(
          script.file.path,
          line,
          `@rejects names ${name}, unknown to lua/lib/reject.lua`,
        );
      } else if (!returned.has(name)) {
        problems.add(script.file.path, line, `@rejects names ${name}, but nothing here returns it`);
      }
    }
  }
}

function checkMentions(source: Source, rejections: Rejections, problems: Problems): void {
  const isTable = (source as Partial<Lib>).name === 'reject';
  for (const statement of source.file.body) {
    walk(statement, (node, parent) => {
      const { line } = node.loc.start;
      const name = rejectName(node);
      if (name !== undefined && !rejections.has(name)) {
        problems.add(source.file.path, line, `REJECT.${name} is not in lua/lib/reject.lua`);
      }
      const isMember = parent?.type === 'MemberExpression' && parent.base === node;
      if (identifier(node) === 'REJECT' && !isMember && !isTable) {
        problems.add(source.file.path, line, 'REJECT is used by a written name: REJECT.NAME');
      }
    });
  }
}

function rejectName(node: Node): string | undefined {
  if (node.type !== 'MemberExpression') return undefined;
  if (identifier(child(node, 'base')) !== 'REJECT') return undefined;
  return identifier(child(node, 'identifier'));
}

function comparesWith(parent: Node | undefined): boolean {
  return parent?.type === 'BinaryExpression' && /^[=~]=$/.test(String(parent.operator));
}

function usesReject(sources: Sources): boolean {
  return [...sources.libs.values(), ...sources.scripts].some(
    (source) =>
      source.header.rejects.length > 0 ||
      source.scopes.references.some(({ name, binding }) => name === 'REJECT' && !binding),
  );
}
