import { spawnSync } from 'node:child_process';

/** How a server gets onto this machine: a command to run, or why it cannot be done. */
export type InstallPlan =
  | { readonly kind: 'run'; readonly command: readonly string[]; readonly says: string }
  | { readonly kind: 'refuse'; readonly because: string };

/** What {@link planInstall} needs to know of the machine. */
export interface Machine {
  readonly platform: NodeJS.Platform;
  readonly isRoot: boolean;
  /** True when the program can be run, with these arguments, without a question. */
  can(program: string, ...args: string[]): boolean;
}

/**
 * Debian starts and enables a service for each server that it installs. Nothing here needs one:
 * policy-rc.d keeps it from starting, `disable` from starting at the next boot.
 */
const DEBIAN = `
apt-get -q update || echo "apt-get update failed; trying with the lists that are here"
policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ]; then
  printf '#!/bin/sh\\nexit 101\\n' > "$policy"
  chmod 755 "$policy"
  trap 'rm -f "$policy"' EXIT
fi
export DEBIAN_FRONTEND=noninteractive
apt-get -q install -y --no-install-recommends -o DPkg::Lock::Timeout=300 redis-server
if [ -d /run/systemd/system ]; then systemctl -q disable --now redis-server || true; fi
`;

/** Decides how to install a server; runs nothing but the machine's own checks. */
export function planInstall(machine: Machine): InstallPlan {
  if (machine.platform === 'darwin') {
    if (!machine.can('brew', '--version')) return { kind: 'refuse', because: 'brew is missing' };
    return { kind: 'run', command: ['brew', 'install', 'redis'], says: 'brew install redis' };
  }
  if (!machine.can('apt-get', '--version')) {
    return { kind: 'refuse', because: 'there is neither apt-get nor brew on this machine' };
  }
  const shell = ['sh', '-euc', DEBIAN];
  const says = 'apt-get update and install redis-server, its system service not started';
  if (machine.isRoot) return { kind: 'run', command: shell, says };
  if (machine.can('sudo', '-n', 'true')) {
    return { kind: 'run', command: ['sudo', '-n', ...shell], says: `sudo ${says}` };
  }
  return { kind: 'refuse', because: 'this user is not root and sudo asks for a password' };
}

/** The machine that this process runs on. */
export function thisMachine(): Machine {
  return {
    platform: process.platform,
    isRoot: process.getuid?.() === 0,
    can: (program, ...args) => spawnSync(program, args, { stdio: 'ignore' }).status === 0,
  };
}

/** What a user is told when no server is here and none can be installed. */
export function instruction(because: string): string {
  return [
    `No redis-server and no valkey-server on the PATH, and ${because}.`,
    'Install one (6.2 or newer) and run the command again:',
    '  Debian, Ubuntu:  sudo apt-get install redis-server',
    '  macOS:           brew install redis',
    'or name a binary in ECHOMQ_REDIS_SERVER.',
  ].join('\n');
}
