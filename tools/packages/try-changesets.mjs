// A release in a copy: one changeset for one package, and all packages must go to the next version together.
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { emptyFolder, manifestOf, ROOT, run } from './published.mjs';

/**
 * @param {readonly string[]} folders those of the published packages
 * @throws Error where a package stays behind
 */
export async function tryChangesets(folders) {
  const copy = emptyFolder('release');
  try {
    const { stdout } = await run(
      'git',
      ['ls-files', '*package.json', '.changeset', 'pnpm-*.yaml'],
      {
        cwd: ROOT,
      },
    );
    for (const path of stdout.trim().split('\n')) {
      mkdirSync(join(copy, dirname(path)), { recursive: true });
      cpSync(join(ROOT, path), join(copy, path));
    }
    const note = '---\n"@echomq/sdk": minor\n---\n\nSomething new.\n';
    writeFileSync(join(copy, '.changeset/something-new.md'), note);
    await run('git', ['init', '-q', '-b', 'main'], { cwd: copy });
    await run(join(ROOT, 'node_modules/.bin/changeset'), ['version'], { cwd: copy });
    const versionIn = (root, folder) =>
      JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')).version;
    const [major, minor] = manifestOf('packages/sdk').version.split('.').map(Number);
    const next = `${major}.${minor + 1}.0`;
    const all = folders.map((folder) => `${folder} ${versionIn(copy, folder)}`);
    const wrong = all.filter((each) => !each.endsWith(` ${next}`));
    if (wrong.length > 0) throw new Error(`not at ${next}: ${wrong.join(', ')}`);
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}
