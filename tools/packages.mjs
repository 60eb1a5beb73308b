// Packs every package that is to be published, and has publint and attw look at what a user would install: entries that
// lead somewhere, types for each of them, nothing that only works in this repository. Run with `pnpm check:packages`.
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const root = fileURLToPath(new URL('../', import.meta.url));
const run = promisify(execFile);

/** Folders of packages without `private`. */
const published = ['lua', 'proto', 'packages', 'apps'].flatMap((folder) => {
  const inside = readdirSync(join(root, folder), { withFileTypes: true });
  const folders = inside.some(({ name }) => name === 'package.json')
    ? [folder]
    : inside.filter((entry) => entry.isDirectory()).map(({ name }) => join(folder, name));
  return folders.filter((each) => {
    try {
      const manifest = JSON.parse(readFileSync(join(root, each, 'package.json'), 'utf8'));
      return manifest.private !== true && manifest.exports !== undefined;
    } catch {
      // A package of another language.
      return false;
    }
  });
});

let failed = 0;
const folder = mkdtempSync(join(tmpdir(), 'echomq-packages-'));
try {
  for (const each of published) {
    const { stdout } = await run('pnpm', ['pack', '--json', '--pack-destination', folder], {
      cwd: join(root, each),
    });
    const tarball = JSON.parse(stdout).filename;
    for (const [command, args] of [
      ['publint', ['run', tarball, '--strict']],
      // Modules alone: `require` of them works from Node 20.19 on.
      ['attw', [tarball, '--profile', 'esm-only', '--format', 'ascii', '--no-emoji']],
    ]) {
      try {
        await run('pnpm', ['exec', command, ...args], { cwd: root });
        console.log(`${each}: ${command} has nothing to say`);
      } catch (error) {
        failed += 1;
        console.log(`${each}: ${command}\n${error.stdout}${error.stderr}`);
      }
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
console.log(`packages: ${published.length} packed, ${failed} complaints`);
process.exitCode = failed === 0 && published.length > 0 ? 0 : 1;
