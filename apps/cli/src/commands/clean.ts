import { type JobState, Queue } from '@echomq/sdk';
import { Command, Option } from 'commander';
import { duration } from '../arguments/duration.js';
import { wholeNumber } from '../arguments/numbers.js';
import { STATES } from '../arguments/states.js';
import { overGateway } from '../gateway/over-gateway.js';
import type { Program } from '../program-state.js';
import { progressBar } from '../terminal/progress-bar.js';

interface Options {
  readonly state: JobState;
  readonly olderThan: number;
  readonly limit: number;
}

/** Removals of one call, after which the bar moves. */
const PART = 1_000;

/** `echomq clean`: old jobs of one state go. */
export function cleanCommand(program: Program): Command {
  const command = new Command('clean')
    .description('Removes old jobs of one state.')
    .argument('<queue>', 'the queue')
    .addOption(
      new Option('--state <state>', 'the state; active ones only where nobody holds them')
        .choices(STATES)
        .default('completed'),
    )
    .requiredOption('--older-than <span>', 'since their end, else since their add', duration)
    .option('--limit <n>', 'at most so many; 0: all', wholeNumber(), 0);
  return overGateway<[string], Options>(
    command,
    program,
    async ({ connection, terminal, json }, { state, olderThan, limit }, [name]) => {
      const queue = new Queue(name, { connection });
      const bar = progressBar(terminal, { what: 'removed', quiet: json });
      const most = limit || Number.POSITIVE_INFINITY;
      const began = performance.now();
      let removed = 0;
      try {
        for (let part = PART; part === PART && removed < most; ) {
          // What becomes old enough meanwhile is none of its business: it would never end.
          const age = Math.round(olderThan + (performance.now() - began));
          part = (await queue.clean(age, Math.min(PART, most - removed), state)).length;
          removed += part;
          bar.update(removed);
        }
      } finally {
        bar.stop();
      }
      await terminal.out(
        json ? JSON.stringify({ queue: name, removed }) : `${removed} jobs removed`,
      );
    },
  );
}
