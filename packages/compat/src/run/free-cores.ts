import { Worker } from 'node:worker_threads';
import { type Late, lateOf } from './lateness.js';

/** Between two timers of the probe, ms: no phase of theirs is that of the jobs. */
const EVERY_MS = 7;

/** Notes how late timers of a thread of their own are, which has nothing else to do. Plain JavaScript, as threads run it. */
const PROBE = `
  const { parentPort } = require('node:worker_threads');
  const late = [];
  let ended = false;
  const next = () => {
    const due = performance.now() + ${EVERY_MS};
    setTimeout(() => {
      if (ended) return;
      late.push(performance.now() - due);
      next();
    }, ${EVERY_MS});
  };
  parentPort.once('message', () => {
    ended = true;
    parentPort.postMessage(late);
  });
  next();
`;

/** Watches whether cores are free, by a thread that does nothing but wait for its timers. */
export function watchCores(): { stop(): Promise<Late> } {
  const thread = new Worker(PROBE, { eval: true });
  return {
    async stop() {
      const late = new Promise<readonly number[]>((resolve, reject) => {
        thread.once('message', resolve);
        thread.once('error', reject);
      });
      thread.postMessage('end');
      try {
        return lateOf(await late);
      } finally {
        await thread.terminate();
      }
    },
  };
}
