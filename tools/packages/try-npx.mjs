// Installs the tarballs into an empty folder, as a user without this repository would, starts the gateway by `npx`, and
// adds and works a job with the command line.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { emptyFolder, run } from './published.mjs';

const READY = /listening on (\S+)$/;

/** Starts a command, and gives it with the line that says where it listens. @throws Error when it ends before */
async function started(command, args, options) {
  const child = spawn(command, args, {
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true,
    ...options,
  });
  // npx itself ends before what it has started: the pipe is shut by the last.
  const ended = once(child, 'close');
  const lines = createInterface({ input: child.stdout });
  const address = await new Promise((resolve, reject) => {
    lines.on('line', (line) => {
      const found = READY.exec(line)?.[1];
      if (found !== undefined) resolve(found);
    });
    lines.on('close', () => reject(new Error(`${args.join(' ')} ended without a word`)));
  });
  return { child, address, ended };
}

/**
 * @param {ReadonlyMap<string, string>} tarballs by the names of their packages
 * @param {string} redisUrl
 * @throws Error where one of the steps fails
 */
export async function tryNpx(tarballs, redisUrl) {
  const folder = emptyFolder('npx');
  try {
    const files = [...tarballs].map(([name, tarball]) => [name, `file:${tarball}`]);
    const wanted = ['@echomq/gateway', '@echomq/cli', '@echomq/sdk'];
    const own = Object.fromEntries(files.filter(([name]) => wanted.includes(name)));
    const manifest = { name: 'newcomer', private: true, type: 'module', dependencies: own };
    writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
    // The other packages are on no registry yet.
    const overrides = files.map(([name, file]) => `  '${name}': '${file}'`).join('\n');
    const allow = 'allowBuilds:\n  protobufjs: false\n  msgpackr-extract: false\n';
    writeFileSync(join(folder, 'pnpm-workspace.yaml'), `overrides:\n${overrides}\n${allow}`);
    await run('pnpm', ['install', '--prefer-offline', '--prod'], { cwd: folder });

    const args = ['@echomq/gateway', '--redis-url', redisUrl, '--listen', '127.0.0.1:0'];
    const { child, address, ended } = await started('npx', ['--no', '--', ...args], {
      cwd: folder,
    });
    try {
      const echomq = async (...words) => {
        const { stdout } = await run('npx', ['--no', '--', 'echomq', ...words], {
          cwd: folder,
          env: { ...process.env, ECHOMQ_ADDRESS: address },
        });
        return stdout.trim();
      };
      const added = await echomq('add', 'orders', 'total', '{"items":[2,3]}');
      if (added !== '1 waiting') throw new Error(`add said: ${added}`);
      const program = `import { connect, Queue, Worker } from '@echomq/sdk';
const connection = connect({ address: '${address}' });
new Worker('orders', (job) => job.data.items.length, { connection });
console.log(await new Queue('orders', { connection }).waitForJob('1'));
await connection.close();
`;
      writeFileSync(join(folder, 'worker.mjs'), program);
      const { stdout } = await run(process.execPath, ['worker.mjs'], { cwd: folder });
      if (stdout.trim() !== '2') throw new Error(`the worker said: ${stdout}`);
    } finally {
      process.kill(-child.pid, 'SIGTERM');
      await ended;
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
