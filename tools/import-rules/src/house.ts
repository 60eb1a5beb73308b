import { readTree, type Tree } from './source-files.js';
import { readRootTools, readWorkspaces, type Workspace } from './workspaces.js';

/** All that the rules look at. */
export interface House {
  readonly tree: Tree;
  readonly workspaces: readonly Workspace[];
  /** Development tools of the root, there for every test. */
  readonly rootTools: ReadonlySet<string>;
}

/** Reads the repository under a root. */
export function readHouse(root: string): House {
  return {
    tree: readTree(root),
    workspaces: readWorkspaces(root),
    rootTools: readRootTools(root),
  };
}
