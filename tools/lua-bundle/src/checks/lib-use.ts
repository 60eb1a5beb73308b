import type { Closures } from '../includes.js';
import type { Problems } from '../problems.js';
import type { Reach } from '../reach.js';
import type { Sources } from '../sources.js';

/** Refuses a lib that fewer than two scripts reach, and what no script can come to. */
export function checkLibUse(
  sources: Sources,
  found: { readonly closures: Closures; readonly reach: Reach },
  problems: Problems,
): void {
  const reachedNodes = new Set(
    [...found.reach.values()].flat().flatMap(({ statements }) => [...statements]),
  );
  for (const lib of sources.libs.values()) {
    const users = [...found.closures].filter(([, libs]) => libs.includes(lib));
    const [only] = users;
    if (!only) problems.add(lib.file.path, 1, 'no script includes this lib');
    else if (users.length === 1) {
      const message = `a lib that one script uses is not a lib: move it into ${only[0].file.path}`;
      problems.add(lib.file.path, 1, message);
    }
    for (const [name, statements] of lib.defines) {
      const [first] = statements;
      // Nothing of an unused lib is used: the line above says it once.
      if (only && first && !reachedNodes.has(first)) {
        problems.add(lib.file.path, first.loc.start.line, `no script comes to ${name}`);
      }
    }
  }
  for (const source of [...sources.libs.values(), ...sources.scripts]) {
    const isLib = 'defines' in source;
    for (const binding of source.scopes.bindings) {
      if (!binding.isFunction || binding.references > 0 || (isLib && binding.topLevel)) continue;
      problems.add(source.file.path, binding.line, `the function ${binding.name} is never used`);
    }
  }
}
