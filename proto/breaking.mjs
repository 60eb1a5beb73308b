// Compares the contract with that of the last release, by `buf breaking`: what a released client relies on may not
// change. Before the first release there is nothing to compare with, and that is said by name.
import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * The last release before what is checked out, as a tag (`v1.2.3`); undefined: there is none.
 *
 * @param {string} root
 */
function lastRelease(root) {
  const args = ['tag', '--list', 'v[0-9]*', '--merged', 'HEAD', '--sort', '-version:refname'];
  const tags = execFileSync('git', args, { cwd: root, encoding: 'utf8' });
  return tags.split('\n').find((tag) => /^v\d+\.\d+\.\d+$/.test(tag));
}

/**
 * Runs the comparison under a root.
 *
 * @param {string} root a repository with proto/ in it
 * @param {(line: string) => void} print gets what is to be told
 * @returns {number} the exit code
 */
export function checkBreaking(root, print) {
  const tag = lastRelease(root);
  if (tag === undefined) {
    print('buf breaking: skipped, there is no release tag yet');
    return 0;
  }
  const against = `${join(root, '.git')}#tag=${tag},subdir=proto`;
  const buf = join(import.meta.dirname, 'node_modules/.bin/buf');
  const run = spawnSync(buf, ['breaking', '--against', against], {
    cwd: join(root, 'proto'),
    encoding: 'utf8',
  });
  if (run.error) throw run.error;
  for (const line of `${run.stdout}${run.stderr}`.split('\n')) if (line !== '') print(line);
  if (run.status === 0) print(`buf breaking: nothing that ${tag} promised has changed`);
  return run.status ?? 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = fileURLToPath(new URL('../', import.meta.url));
  process.exitCode = checkBreaking(root, (line) => console.log(line));
}
