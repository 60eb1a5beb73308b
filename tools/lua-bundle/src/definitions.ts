import { child, identifier, type Node, nodes } from './ast.js';
import type { Problems } from './problems.js';
import type { Source } from './sources.js';

/**
 * The top-level names of a lib, each with the statements that make it: `local function x`,
 * `local X = {…}`, and `function X.y` or `X.y = …` for a table of its own. A lib defines and never
 * runs, so any other statement is refused.
 */
export function definedNames(source: Source, problems: Problems): Map<string, Node[]> {
  const defines = new Map<string, Node[]>();
  const { path, body } = source.file;
  for (const statement of body) {
    const line = statement.loc.start.line;
    const extended = extendedName(statement);
    if (extended !== undefined && defines.has(extended)) {
      defines.get(extended)?.push(statement);
      continue;
    }
    const names = newNames(statement);
    if (names.length === 0) {
      problems.add(path, line, 'a lib only defines: `local function x` or `local X = …` here');
    }
    for (const name of names) {
      if (defines.has(name)) problems.add(path, line, `${name} is defined twice`);
      defines.set(name, [statement]);
    }
  }
  return defines;
}

function newNames(statement: Node): string[] {
  if (statement.type === 'LocalStatement') {
    return nodes(statement, 'variables').flatMap((node) => identifier(node) ?? []);
  }
  if (statement.type === 'FunctionDeclaration' && statement.isLocal === true) {
    return [identifier(child(statement, 'identifier')) ?? []].flat();
  }
  return [];
}

function extendedName(statement: Node): string | undefined {
  const target =
    statement.type === 'FunctionDeclaration'
      ? child(statement, 'identifier')
      : statement.type === 'AssignmentStatement'
        ? nodes(statement, 'variables')[0]
        : undefined;
  return target && ['MemberExpression', 'IndexExpression'].includes(target.type)
    ? identifier(child(target, 'base'))
    : undefined;
}
