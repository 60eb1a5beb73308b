import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';

/**
 * Runs a program that never outlives this process, however this process ends.
 *
 * A shell forks a guard and then *becomes* the program, so the child's pid and exit are the
 * program's own. The guard reads a pipe whose other end is in this process alone: when this process
 * ends, even by SIGKILL, the pipe closes and the guard kills the program, then removes the folder.
 * Where there is no program to kill, it ended first: Node closes the pipe before it says so, this
 * process lives, and the folder with what a crashed server has stored is its own affair.
 *
 * Both stand in a session of their own (`detached`), so a Ctrl-C in the terminal reaches neither.
 * While the guard lives its process group does, and the system gives nobody else the program's pid:
 * the guard can only ever kill the program.
 */
const SCRIPT = `
folder=$1; shift
exec 3<&0
(
  exec "$0" -c 'cat >/dev/null
    kill -9 "$1" 2>/dev/null || exit 0
    [ -n "$2" ] || exit 0
    for try in 1 2 3 4 5; do sleep 0.1; rm -rf -- "$2" && break; done' guard "$$" "$folder" <&3 3<&- >/dev/null 2>&1
) &
exec "$@" </dev/null 3<&-
`;

/** What to run, and where. */
export interface GuardedCommand {
  readonly binary: string;
  readonly args: readonly string[];
  /** Working directory. */
  readonly cwd: string;
  /** The program's environment, whole; else `PATH` alone. */
  readonly env?: NodeJS.ProcessEnv;
  /** A folder that the guard removes when this process ends without having done so. */
  readonly removeWithParent?: string;
  /** Where stdout and stderr go: an open file, a pipe each, or nowhere. */
  readonly output: number | 'pipe' | 'ignore';
}

/**
 * Starts a guarded program. The child does not keep this process's event loop alive, its piped
 * output does.
 *
 * @returns the child; its pid is the program's.
 */
export function spawnGuarded(command: GuardedCommand): ChildProcess {
  const stdio: StdioOptions = ['pipe', command.output, command.output];
  const child = spawn(
    '/bin/sh',
    ['-c', SCRIPT, '/bin/sh', command.removeWithParent ?? '', command.binary, ...command.args],
    {
      cwd: command.cwd,
      detached: true,
      stdio,
      env: command.env ?? { PATH: process.env.PATH ?? '' },
    },
  );
  child.unref();
  // The pipe says nothing; an error on it means that the guard has gone, with the group.
  child.stdin?.on('error', () => {});
  (child.stdin as { unref?: () => void } | null)?.unref?.();
  child.once('exit', () => endGuard(child));
  return child;
}

/** The program has ended by itself: its guard has nothing left to do. */
function endGuard(child: ChildProcess): void {
  if (child.pid !== undefined) {
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch {
      // The group has gone already.
    }
  }
  child.stdin?.destroy();
}
