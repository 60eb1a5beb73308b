import { fileURLToPath } from 'node:url';
import { type NodeProcess, spawnNode } from '@echomq/testkit';
import type { History, Note } from '../history/history.js';
import type { WorkerOrders } from './worker-main.js';

/** As it is built. */
const MAIN = fileURLToPath(new URL('../../build/rig/worker-main.js', import.meta.url));

/** A worker of the SDK in a process of its own. */
export interface WorkerProcess extends NodeProcess {
  /** Takes what it has written so far into the history. */
  note(): void;
  /** Kills it without a warning and notes the runs that it held as lost. */
  die(): Promise<void>;
}

/**
 * Starts a worker as a process, ended with the test. SIGTERM closes it in good order.
 *
 * @param history its notes go there at each `note` and at its death; its times are ms since the epoch by the system's
 *   clock
 */
export async function workerProcess(
  history: History,
  orders: Pick<WorkerOrders, 'address' | 'queue' | 'name'> & Partial<WorkerOrders>,
): Promise<WorkerProcess> {
  const all: WorkerOrders = { ms: 0, concurrency: 1, lockMs: 30_000, ...orders };
  const child = await spawnNode(MAIN, {
    args: [JSON.stringify(all)],
    ready: /^ready$/,
    readyLimitMs: 25_000,
  });
  let read = 0;
  const open = new Map<string, string>();
  const note = (): void => {
    for (; read < child.lines.items.length; read += 1) {
      const line = child.lines.items[read] ?? '';
      if (!line.startsWith('[')) continue;
      const [at, entry] = JSON.parse(line) as [number, Note];
      history.note(entry, at);
      if (entry.kind === 'started') open.set(entry.run, entry.job);
      else if ('run' in entry && entry.kind !== 'over') open.delete(entry.run);
    }
  };
  return Object.assign(child, {
    note,
    async die() {
      const at = Date.now();
      child.kill('SIGKILL');
      await child.exit.wait();
      note();
      for (const [run, job] of open) history.note({ kind: 'lost', job, run }, at);
    },
  });
}
