import { bindingOf, QUERY_STOPS, type Stop, TRANSITION_STOPS } from './stops.js';
import { readScripts, type ScriptSubject } from './subjects.js';
import type { Tree } from './tree.js';

/** What the transitions and queries of lua/ lack, and what is left of those that lua/ has no longer. */
export function walkScripts(tree: Tree): readonly string[] {
  const transitions = readScripts(tree, 'transitions');
  const queries = readScripts(tree, 'queries');
  return [
    ...transitions.flatMap((script) => walkStops(tree, script, TRANSITION_STOPS)),
    ...queries.flatMap((script) => walkStops(tree, script, QUERY_STOPS)),
    ...strayBindings(tree, transitions),
  ];
}

function walkStops(tree: Tree, script: ScriptSubject, stops: readonly Stop[]): string[] {
  return stops.flatMap(({ at, what, lacks }) => {
    const path = at(script);
    if (!tree.has(path)) return [`${path}: missing: ${script.name}, ${what}`];
    const lacking = lacks?.(tree.text(path), script, tree) ?? [];
    return lacking.map((thing) => `${path}: ${script.name}, ${what}: lacks ${thing}`);
  });
}

/** Queries may be plain commands and have no script; a transition is one script. */
function strayBindings(tree: Tree, transitions: readonly ScriptSubject[]): string[] {
  const known = new Set(transitions.map(bindingOf));
  return tree
    .scripts('packages/core/src/transitions')
    .map((path) => path.replace(/(\.[a-z]+)?\.test\.ts$/, '.ts'))
    .filter((path, index, all) => !known.has(path) && all.indexOf(path) === index)
    .map((path) => `${path}: no script of lua/transitions has this name`);
}
