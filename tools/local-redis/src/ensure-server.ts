import { spawnSync } from 'node:child_process';
import { describeServer, findBinary, type RedisServer } from './find-server.js';
import { instruction, planInstall, thisMachine } from './install-server.js';

/** The oldest server that the scripts are written for. */
const OLDEST = '6.2.0';

/**
 * The server on this machine; installs one with the system's package manager when there is none,
 * and says so first.
 *
 * @param say receives one line per thing done; the package manager writes to this process's stderr.
 * @throws Error with an instruction for the user when no server is here and none can be installed,
 * or when the one that is here is older than 6.2.
 */
export async function ensureServer(
  say: (line: string) => void = console.error,
): Promise<RedisServer> {
  const here = findBinary();
  if (here) return recentEnough(await describeServer(here));

  const plan = planInstall(thisMachine());
  if (plan.kind === 'refuse') throw new Error(instruction(plan.because));
  say(`No redis-server and no valkey-server on the PATH. Installing: ${plan.says}`);
  const [program = 'sh', ...args] = plan.command;
  const { status } = spawnSync(program, args, { stdio: ['ignore', 2, 2] });
  const installed = findBinary();
  if (status !== 0 || !installed) {
    throw new Error(instruction(`the installation failed (exit status ${status})`));
  }
  const server = recentEnough(await describeServer(installed));
  say(`Installed ${server.binary} ${server.version}`);
  return server;
}

function recentEnough(server: RedisServer): RedisServer {
  if (server.version.localeCompare(OLDEST, 'en', { numeric: true }) >= 0) return server;
  throw new Error(
    `${server.binary} is ${server.version}; EchoMQ needs ${OLDEST} or newer. ` +
      'Name a newer binary in ECHOMQ_REDIS_SERVER.',
  );
}
