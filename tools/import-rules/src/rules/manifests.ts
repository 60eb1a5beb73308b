import type { House } from '../house.js';
import type { Problem } from '../problems.js';
import { TABLE } from '../table.js';
import { packageName } from '../workspaces.js';

/** Each package has its line in the table, and its package.json declares no package that the line has not. */
export function checkManifests({ workspaces }: House): readonly Problem[] {
  const names = new Set(workspaces.map(({ name }) => name));
  return workspaces.flatMap(({ folder, dependencies }) => {
    const path = `${folder}/package.json`;
    const allowance = TABLE[folder];
    if (allowance === undefined) {
      return [{ path, line: 1, message: 'has no line in tools/import-rules/src/table.ts' }];
    }
    // The entry that a peer is imported through may bring along another entry of the same package.
    const allowed = new Set(allowance.may.map(packageName));
    return [...dependencies]
      .filter((name) => names.has(name) && !allowed.has(name))
      .map((name) => ({ path, line: 1, message: `depends on ${name}, which it may not import` }));
  });
}
