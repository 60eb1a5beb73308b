import { nodes, parseLua, walk } from '../ast.js';
import type { Problems } from '../problems.js';
import { resolveScopes } from '../scope.js';
import type { Sources } from '../sources.js';

const MAX_PARAMETERS = 4;
/** Lua 5.1's own limits, per function; the file itself is a function too. */
const MAX_LOCALS = 200;
const MAX_UPVALUES = 60;

/** Refuses functions with too many parameters. */
export function checkParameters(sources: Sources, problems: Problems): void {
  for (const { file } of [...sources.libs.values(), ...sources.scripts]) {
    for (const statement of file.body) {
      walk(statement, (node) => {
        if (node.type !== 'FunctionDeclaration') return;
        const count = nodes(node, 'parameters').filter(({ type }) => type === 'Identifier').length;
        if (count <= MAX_PARAMETERS) return;
        const message = `a function takes ${count} parameters, at most ${MAX_PARAMETERS} are allowed`;
        problems.add(file.path, node.loc.start.line, message);
      });
    }
  }
}

/** Refuses a bundle that Redis could not compile: the lines are those of the bundle. */
export function checkBundle(path: string, text: string, problems: Problems): void {
  for (const { line, maxActive, upvalues } of resolveScopes(parseLua(path, text)).functions) {
    if (maxActive > MAX_LOCALS) {
      problems.add(
        path,
        line,
        `${maxActive} locals at once, Lua allows ${MAX_LOCALS} per function`,
      );
    }
    if (upvalues.size > MAX_UPVALUES) {
      const message = `${upvalues.size} outer locals in one function, Lua allows ${MAX_UPVALUES}`;
      problems.add(path, line, message);
    }
  }
}
