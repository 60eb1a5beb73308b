import { randomBytes } from 'node:crypto';
import { Queue, Worker } from '@echomq/sdk';
import { Command } from 'commander';
import { wholeNumber } from '../arguments/numbers.js';
import { EXIT } from '../exit/exit-codes.js';
import { reportError } from '../exit/report-error.js';
import { overGateway } from '../gateway/over-gateway.js';
import type { Program } from '../program-state.js';
import { progressBar } from '../terminal/progress-bar.js';

interface Options {
  readonly jobs: number;
  readonly concurrency: number;
  readonly bytes: number;
}

/** Jobs of one add, and adds under way. */
const PART = 200;
const ADDERS = 4;

/** `echomq bench`: a small load against the gateway. */
export function benchCommand(program: Program): Command {
  const command = new Command('bench')
    .description(
      'Adds and works off jobs that do nothing, in a queue of its own that it removes, and tells how fast that went. ' +
        'It measures this gateway from here, its Redis and the way to it; it is no benchmark of EchoMQ.',
    )
    .option('--jobs <n>', 'so many jobs', wholeNumber(1), 2_000)
    .option('--concurrency <n>', 'handlers at once', wholeNumber(1), 50)
    .option('--bytes <n>', 'the size of their payloads', wholeNumber(), 100);
  return overGateway<[], Options>(
    command,
    program,
    async (session, { jobs, concurrency, bytes }) => {
      const { connection, terminal, json } = session;
      const name = `echomq-bench-${randomBytes(6).toString('hex')}`;
      const queue = new Queue(name, { connection });
      const data = { text: 'x'.repeat(Math.max(0, bytes - '{"text":""}'.length)) };
      const bar = progressBar(terminal, { what: 'added and done', total: jobs * 2, quiet: json });
      let worker: Worker | undefined;
      try {
        const adding = performance.now();
        let added = 0;
        let left = jobs;
        await Promise.all(
          Array.from({ length: ADDERS }, async () => {
            while (left > 0 && !terminal.interrupted.aborted) {
              const count = Math.min(PART, left);
              left -= count;
              const opts = { removeOnComplete: true };
              await queue.addBulk(
                Array.from({ length: count }, () => ({ name: 'noop', data, opts })),
              );
              added += count;
              bar.update(added);
            }
          }),
        );
        const addMs = performance.now() - adding;
        const working = performance.now();
        let done = 0;
        await new Promise<void>((resolve) => {
          const noop = new Worker(name, () => undefined, {
            connection,
            concurrency,
            name: 'bench',
          });
          worker = noop;
          noop.on('error', (error) => void reportError(error, terminal, json));
          noop.on('completed', () => {
            done += 1;
            bar.update(added + done);
            if (done >= added) resolve();
          });
          terminal.interrupted.addEventListener('abort', () => resolve(), { once: true });
          if (terminal.interrupted.aborted) resolve();
        });
        const workMs = performance.now() - working;
        bar.stop();
        const facts = {
          ...{ jobs: done, concurrency, bytes },
          addedPerSecond: perSecond(added, addMs),
          donePerSecond: perSecond(done, workMs),
        };
        await terminal.out(
          json
            ? JSON.stringify(facts)
            : `${facts.jobs} jobs of ${bytes} bytes, ${concurrency} at once, at ${connection.target}\n` +
                `  added      ${facts.addedPerSecond} jobs/s\n  worked off ${facts.donePerSecond} jobs/s`,
        );
      } finally {
        bar.stop();
        await worker?.close({ timeoutMs: 1_000 });
        await queue.obliterate({ force: true });
      }
      return terminal.interrupted.aborted ? EXIT.interrupted : undefined;
    },
  );
}

function perSecond(count: number, ms: number): number {
  return ms > 0 ? Math.round((count / ms) * 1_000) : 0;
}
