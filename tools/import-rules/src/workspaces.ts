import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** A package of the workspace. */
export interface Workspace {
  /** `@echomq/core` */
  readonly name: string;
  /** `packages/core` */
  readonly folder: string;
  /** What others may ask for: `@echomq/core`, `@echomq/core/ioredis`. */
  readonly entries: readonly string[];
  /** What it needs at run time: dependencies, peers, optional ones. */
  readonly dependencies: ReadonlySet<string>;
  readonly devDependencies: ReadonlySet<string>;
}

interface Manifest {
  readonly name?: string;
  readonly exports?: Readonly<Record<string, unknown>>;
  readonly dependencies?: object;
  readonly peerDependencies?: object;
  readonly optionalDependencies?: object;
  readonly devDependencies?: object;
}

/** The folders that hold packages, as pnpm-workspace.yaml names them. */
const SINGLE = ['proto', 'lua'];
const PARENTS = ['packages', 'apps', 'tools'];

/** Reads every package of the workspace under a root. */
export function readWorkspaces(root: string): readonly Workspace[] {
  const children = PARENTS.filter((parent) => existsSync(`${root}/${parent}`)).flatMap((parent) =>
    readdirSync(`${root}/${parent}`).map((name) => `${parent}/${name}`),
  );
  return [...SINGLE, ...children]
    .filter((folder) => existsSync(`${root}/${folder}/package.json`))
    .map((folder) => workspace(folder, readManifest(`${root}/${folder}`)));
}

/** What the root's own package.json offers to every test: vitest, fast-check and the like. */
export function readRootTools(root: string): ReadonlySet<string> {
  return new Set(Object.keys(readManifest(root).devDependencies ?? {}));
}

/** The package that a path belongs to; `undefined` for files of the root. */
export function workspaceOf(path: string, workspaces: readonly Workspace[]): Workspace | undefined {
  return workspaces.find(({ folder }) => path.startsWith(`${folder}/`));
}

/** `@scope/name` or `name` of a specifier that is no path. */
export function packageName(specifier: string): string {
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
}

function workspace(folder: string, manifest: Manifest): Workspace {
  const name = manifest.name ?? folder;
  const { dependencies, peerDependencies, optionalDependencies, devDependencies } = manifest;
  return {
    name,
    folder,
    entries: Object.keys(manifest.exports ?? { '.': '' }).map((entry) => name + entry.slice(1)),
    dependencies: new Set(
      [dependencies, peerDependencies, optionalDependencies].flatMap((part) =>
        Object.keys(part ?? {}),
      ),
    ),
    devDependencies: new Set(Object.keys(devDependencies ?? {})),
  };
}

function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(`${folder}/package.json`, 'utf8')) as Manifest;
}
