import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** The package of PyPI that takes part; its layout is that of 6.x. */
export const PYTHON_BULLMQ = 'bullmq==3.4.4';

/** How long the installation may take, ms. */
const INSTALL_MS = 120_000;

/** The package, installed for one run. */
export interface PythonPackage {
  /** The interpreter of a virtual environment that has it. */
  readonly python: string;
  /** Removes the folder. */
  remove(): Promise<void>;
}

const run = promisify(execFile);

/** Installs it into a virtual environment in a temporary folder. Returns why not, where python3, pip or PyPI is missing. */
export async function installPython(): Promise<PythonPackage | { readonly missing: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'echomq-python-'));
  const remove = () => rm(folder, { recursive: true, force: true });
  const python = join(folder, 'bin', 'python');
  try {
    const { stdout } = await run('python3', [
      '-c',
      'import sys; print(sys.version_info >= (3, 10))',
    ]);
    if (stdout.trim() !== 'True') throw new Error('python3 is older than 3.10');
    await run('python3', ['-m', 'venv', folder], { timeout: INSTALL_MS });
    const quiet = ['--quiet', '--disable-pip-version-check', '--no-input', '--retries', '1'];
    const pip = ['-m', 'pip', 'install', ...quiet, PYTHON_BULLMQ];
    await run(python, pip, { timeout: INSTALL_MS });
    return { python, remove };
  } catch (error) {
    await remove();
    const [line = ''] = (error as Error).message
      .split('\n')
      .filter((each) => each !== '')
      .slice(-1);
    return { missing: line };
  }
}
