import { posix } from 'node:path';
import type { ScriptSubject } from './subjects.js';
import type { Tree } from './tree.js';

/** A place that every script passes: a file that must exist and, where `lacks` is there, say certain things. */
export interface Stop {
  /** The file, from the root. */
  readonly at: (script: ScriptSubject) => string;
  /** What the stop is, for whoever has to write it. */
  readonly what: string;
  /** What the file should say and does not; nothing when all is there. */
  readonly lacks?: (text: string, script: ScriptSubject, tree: Tree) => readonly string[];
}

/** What packages/compat writes of its comparisons with BullMQ: a row per script that it has cases for. */
const COMPARED: Stop = {
  at: () => 'docs/compatibility-differences.md',
  what: 'its cases in packages/compat',
  lacks: (text, { name }) => (text.includes(`\n| ${name} |`) ? [] : [`the row of ${name}`]),
};

/** The stops of a transition, after its Lua. To add one, add a line. */
export const TRANSITION_STOPS: readonly Stop[] = [
  { at: ({ label }) => `lua/dist/${label}.lua`, what: 'the bundled script: pnpm generate' },
  { at: () => 'docs/transitions.md', what: 'its row: pnpm generate', lacks: row },
  { at: bindingOf, what: 'its binding in the core', lacks: ownScript },
  { at: testOf, what: 'its whole-state test', lacks: reasons },
  { at: () => 'packages/core/src/index.ts', what: 'its export', lacks: exported },
  { at: () => 'docs/lifecycle.md', what: 'its row in the table of transitions', lacks: mentioned },
  COMPARED,
];

/** The stops of a query, after its Lua. */
export const QUERY_STOPS: readonly Stop[] = [
  { at: ({ label }) => `lua/dist/${label}.lua`, what: 'the bundled script: pnpm generate' },
  { at: () => 'docs/transitions.md', what: 'its row: pnpm generate', lacks: row },
  { at: bindingOf, what: 'its binding in the core', lacks: ownScript },
  { at: testOf, what: 'its test', lacks: reasons },
  { at: () => 'packages/core/src/index.ts', what: 'its export', lacks: exported },
  COMPARED,
];

/** The binding of a script. */
export function bindingOf({ folder, name }: ScriptSubject): string {
  return `packages/core/src/${folder}/${name}.ts`;
}

function testOf({ folder, name }: ScriptSubject): string {
  return `packages/core/src/${folder}/${name}.test.ts`;
}

function row(text: string, { label }: ScriptSubject): readonly string[] {
  return text.includes(`| \`${label}\` |`) ? [] : [`the row of ${label}`];
}

function mentioned(text: string, { name }: ScriptSubject): readonly string[] {
  return text.includes(`\`${name}\``) ? [] : [`\`${name}\``];
}

function ownScript(text: string, { name }: ScriptSubject): readonly string[] {
  return new RegExp(`\\b${name}\\b[^;]*from '@echomq/lua'`).test(text)
    ? []
    : [`an import of ${name} from @echomq/lua`];
}

function exported(text: string, { folder, name }: ScriptSubject): readonly string[] {
  const path = `./${folder}/${name}.js`;
  return text.includes(`'${path}'`) ? [] : [`an export from ${path}`];
}

/** Each declared rejection has a case, in the test itself or in what it imports from the core's `test/`. */
function reasons(text: string, subject: ScriptSubject, tree: Tree): readonly string[] {
  const shared = [...text.matchAll(/from '(\.\.\/\.\.\/test\/[\w-]+)\.js'/g)].map(([, path = '']) =>
    tree.text(posix.join(posix.dirname(testOf(subject)), `${path}.ts`)),
  );
  const all = [text, ...shared].join('\n');
  return subject.rejects
    .filter((reason) => !new RegExp(`\\b${reason}\\b`).test(all))
    .map((reason) => `a case "rejects ${reason}"`);
}
