import type { ChildProcess } from 'node:child_process';
import { rmSync } from 'node:fs';

/** A private server, ended with this process. */
export interface LocalRedis extends AsyncDisposable {
  /** `redis://127.0.0.1:PORT` or `unix:///PATH`; ioredis takes both. */
  readonly url: string;
  /** The loopback port; `undefined` on a unix socket. */
  readonly port: number | undefined;
  /** The unix socket; `undefined` on a port. */
  readonly socketPath: string | undefined;
  readonly pid: number;
  /** Its working directory; `redis.log` in it is what the server says. */
  readonly folder: string;
  /** Resolves when the server has ended, by whatever cause. */
  readonly ended: Promise<void>;
  /** Ends the server in good order and removes its folder if that was a temporary one. */
  stop(): Promise<void>;
  /** Sends a signal to the server alone; wait for {@link ended} where it is a deadly one. */
  kill(signal: NodeJS.Signals): void;
}

/** Where a server listens and keeps its files. */
export interface Place {
  readonly folder: string;
  /** The folder goes when the server does. */
  readonly temporary: boolean;
  readonly port: number | undefined;
  readonly socketPath: string | undefined;
  /** False: nothing on the disk matters, the server may be ended at once. */
  readonly keepsData: boolean;
}

/** The most that a server may take to end in good order, before it is killed. */
const STOP_LIMIT_MS = 5_000;

/** The handle of a server that runs as `child` in `place`. */
export function localRedis(child: ChildProcess, place: Place): LocalRedis {
  const { folder, port, socketPath } = place;
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  const kill = (signal: NodeJS.Signals): void => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    // From here on somebody waits for the end: it must keep the event loop alive.
    child.ref();
    child.kill(signal);
  };
  const end = async (): Promise<void> => {
    kill(place.keepsData ? 'SIGTERM' : 'SIGKILL');
    kill('SIGCONT');
    const late = setTimeout(() => kill('SIGKILL'), STOP_LIMIT_MS);
    await ended;
    clearTimeout(late);
    if (place.temporary) rmSync(folder, { recursive: true, force: true });
  };
  let ending: Promise<void> | undefined;
  const stop = (): Promise<void> => {
    ending ??= end();
    return ending;
  };
  return {
    url: socketPath === undefined ? `redis://127.0.0.1:${port}` : `unix://${socketPath}`,
    port,
    socketPath,
    pid: child.pid ?? -1,
    folder,
    ended,
    stop,
    kill,
    [Symbol.asyncDispose]: stop,
  };
}
