import { connect, type NetConnectOpts } from 'node:net';
import type { LocalRedis } from '../src/index.js';

/** Sends inline commands to a server and gives its first answer, as text. */
export function ask(
  server: Pick<LocalRedis, 'port' | 'socketPath'>,
  command: string,
): Promise<string> {
  const { port, socketPath } = server;
  const where: NetConnectOpts = socketPath
    ? { path: socketPath }
    : { port: port ?? 0, host: '127.0.0.1' };
  return new Promise((resolve, reject) => {
    const socket = connect(where, () => socket.write(`${command}\r\n`));
    socket.once('error', reject);
    socket.once('data', (data) => {
      socket.destroy();
      resolve(data.toString().trim());
    });
  });
}

/** True while the process is there and is not a zombie that waits for its parent. */
export async function alive(pid: number): Promise<boolean> {
  const { readFile } = await import('node:fs/promises');
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  if (process.platform !== 'linux') return true;
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ') X');
  return !/\) [ZX]/.test(stat);
}
