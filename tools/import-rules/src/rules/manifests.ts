import { DEPENDENCIES_DOC, type House } from '../house.js';
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

/** Each package from outside has a line that says why, and each line has a package that declares it. */
export function checkDependencyLines(house: House): readonly Problem[] {
  const ours = new Set(house.workspaces.map(({ name }) => name));
  const declared = new Map([...house.rootTools].map((name) => [name, 'package.json']));
  for (const { folder, dependencies, devDependencies } of house.workspaces) {
    for (const name of [...dependencies, ...devDependencies]) {
      if (!ours.has(name) && !declared.has(name)) declared.set(name, `${folder}/package.json`);
    }
  }
  const lines = house.dependenciesDoc.split('\n').map((text) => /^\| `([^`]+)` \|/.exec(text)?.[1]);
  const unexplained = [...declared]
    .filter(([name]) => !lines.includes(name))
    .map(([name, path]) => ({
      path,
      line: 1,
      message: `${name} has no line in ${DEPENDENCIES_DOC}`,
    }));
  const stale = lines.flatMap((name, index) =>
    name === undefined || declared.has(name)
      ? []
      : [{ path: DEPENDENCIES_DOC, line: index + 1, message: `nothing declares ${name}` }],
  );
  return [...unexplained, ...stale];
}
