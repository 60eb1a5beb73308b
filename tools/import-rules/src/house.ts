import { existsSync, readFileSync } from 'node:fs';
import { readTree, type Tree } from './source-files.js';
import { readRootTools, readWorkspaces, type Workspace } from './workspaces.js';

/** Where each dependency has its line. */
export const DEPENDENCIES_DOC = 'docs/dependencies.md';

/** All that the rules look at. */
export interface House {
  readonly tree: Tree;
  readonly workspaces: readonly Workspace[];
  /** Development tools of the root, there for every test. */
  readonly rootTools: ReadonlySet<string>;
  /** The text of docs/dependencies.md. */
  readonly dependenciesDoc: string;
}

/** Reads the repository under a root. */
export function readHouse(root: string): House {
  return {
    tree: readTree(root),
    workspaces: readWorkspaces(root),
    rootTools: readRootTools(root),
    dependenciesDoc: readIfThere(`${root}/${DEPENDENCIES_DOC}`),
  };
}

function readIfThere(path: string): string {
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}
