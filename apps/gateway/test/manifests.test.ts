import { execFile, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { parseAllDocuments } from 'yaml';

const run = promisify(execFile);
const here = fileURLToPath(new URL('../', import.meta.url));
const folder = join(here, 'deploy/kubernetes');
const tsc = join(here, '../../node_modules/.bin/tsc');

/** A manifest as it is read. */
interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
}

/** The manifests whose kinds Kubernetes itself has; the others belong to operators. */
function manifests(): readonly Manifest[] {
  return readdirSync(folder)
    .sort()
    .flatMap((file) =>
      parseAllDocuments(readFileSync(join(folder, file), 'utf8')).map(
        (document) => document.toJS() as Manifest,
      ),
    )
    .filter(({ apiVersion }) => !/coreos|kustomize/.test(apiVersion));
}

/** Writes manifests as literals of the types that Kubernetes publishes of its schema, and has them checked. */
async function checked(all: readonly Manifest[]): Promise<string> {
  const place = join(here, 'build', `manifests-${process.pid}`);
  onTestFinished(() => rmSync(place, { recursive: true, force: true }));
  mkdirSync(place, { recursive: true });
  const lines = all.map(({ apiVersion, kind, ...rest }, at) => {
    const group = apiVersion.replace(/\.k8s\.io\//, '/');
    const path = group.includes('/') ? group : `core/${group}`;
    const text = JSON.stringify({ apiVersion, kind, ...rest });
    return `export const m${at}: import('kubernetes-types/${path}.js').${kind} = ${text};`;
  });
  writeFileSync(join(place, 'manifests.ts'), lines.join('\n'));
  const options = ['--noEmit', '--strict', '--module', 'esnext', '--moduleResolution', 'bundler'];
  const args = [...options, '--skipLibCheck', '--ignoreConfig', join(place, 'manifests.ts')];
  return run(tsc, args, { cwd: place }).then(
    () => '',
    ({ stdout }: { stdout: string }) => stdout,
  );
}

it('the manifests have the fields of the schema of Kubernetes, of the right types, and no others', async () => {
  const all = manifests();
  expect(all.map(({ kind }) => kind)).toEqual(
    expect.arrayContaining(['Deployment', 'Service', 'NetworkPolicy', 'PodDisruptionBudget']),
  );
  expect(await checked(all)).toBe('');
  const deployment = all.find(({ kind }) => kind === 'Deployment') as Manifest;
  const misspelt = JSON.parse(
    JSON.stringify(deployment).replace('"readinessProbe"', '"readynessProbe"'),
  );
  expect(await checked([misspelt])).toContain('readynessProbe');
  const wrong = JSON.parse(JSON.stringify(deployment).replace('"replicas":2', '"replicas":"2"'));
  expect(await checked([wrong])).toContain("Type 'string' is not assignable to type 'number'");
});

const kubectl = spawnSync('kubectl', ['version', '--client']).status === 0;
const note = kubectl ? '' : ' (skipped: kubectl is missing)';

it.skipIf(!kubectl)(`kustomize renders them whole${note}`, async () => {
  const { stdout } = await run('kubectl', ['kustomize', folder]);
  const kinds = parseAllDocuments(stdout).map((document) => (document.toJS() as Manifest).kind);
  expect(kinds.sort()).toEqual([
    ...['ConfigMap', 'Deployment', 'NetworkPolicy', 'PodDisruptionBudget'],
    ...['Service', 'Service', 'ServiceAccount', 'ServiceMonitor'],
  ]);
});
