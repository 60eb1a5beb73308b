import { Queue, type QueueFault, type QueueRepair } from '@echomq/sdk';
import { Command } from 'commander';
import { duration } from '../arguments/duration.js';
import { EXIT, type ExitCode } from '../exit/exit-codes.js';
import { overGateway, type Session } from '../gateway/over-gateway.js';
import { plain } from '../output/plain.js';
import type { Program } from '../program-state.js';
import { progressBar } from '../terminal/progress-bar.js';

interface Options {
  readonly repair?: boolean;
  readonly settle: number;
}

/** `echomq doctor`: what is broken in queues, and its repair. */
export function doctorCommand(program: Program): Command {
  const command = new Command('doctor')
    .description(
      'Looks for what is broken in queues, also in those of BullMQ: ids in two places or in none, lost leases, stuck ' +
        'parents, stopped schedulers, what old versions left. It only reads, in small steps, and may run while work goes on.',
    )
    .argument('[queues...]', 'the queues; none: all that may be read')
    .option(
      '--repair',
      'mend what is broken: each by a step that looks again itself (needs the right to administer)',
    )
    .option(
      '--settle <span>',
      'what may be a moment of a healthy queue is looked at again after this',
      duration,
      5_000,
    );
  return overGateway<[string[]], Options>(command, program, async (session, options, [names]) => {
    const { connection } = session;
    const queues = names.length > 0 ? names : await readable(session);
    let code: ExitCode = EXIT.done;
    for (const name of queues) {
      if (session.terminal.interrupted.aborted) return EXIT.interrupted;
      const broken = await examine(session, new Queue(name, { connection }), options);
      if (broken > 0) code = EXIT.broken;
    }
    return code;
  });
}

async function readable({ connection, terminal }: Session): Promise<string[]> {
  const names: string[] = [];
  for await (const { name, problem } of connection.getQueues()) {
    if (problem === undefined) names.push(name);
    else terminal.note(`echomq: ${plain(name)} is left out: ${plain(problem)}`);
  }
  return names;
}

/** Looks at one queue, mends it if asked to, and tells. Returns how many faults are left. */
async function examine(
  session: Session,
  queue: Queue,
  { repair, settle }: Options,
): Promise<number> {
  const { terminal, json } = session;
  const bar = progressBar(terminal, { what: `looked at in ${plain(queue.name)}`, quiet: json });
  let lookedAt = 0;
  const onProgress = (count: number) => {
    lookedAt = count;
    bar.update(count);
  };
  const faults = await queue
    .inspect({ settleMs: settle, onProgress, signal: terminal.interrupted })
    .finally(() => bar.stop());
  const repairs = repair ? await queue.repair(faults) : faults.map(unmended);
  for (const one of repairs) await tell(session, queue.name, one);
  const left = repairs.filter(({ done }) => done === undefined).length;
  if (!json) await terminal.out(summary(queue.name, repairs, lookedAt));
  return left;
}

function unmended(fault: QueueFault): QueueRepair {
  return { fault, done: undefined };
}

async function tell({ terminal, json }: Session, queue: string, { fault, done }: QueueRepair) {
  const { kind, subject, other, why, seenAt } = fault;
  if (json) {
    const seen = new Date(seenAt).toISOString();
    await terminal.out(JSON.stringify({ queue, kind, subject, other, why, seenAt: seen, done }));
    return;
  }
  const mended = done === undefined ? '' : `\n  mended: ${plain(done)}`;
  await terminal.out(`${plain(queue)}: ${kind} ${plain(subject)}\n  ${plain(why)}${mended}`);
}

function summary(queue: string, repairs: readonly QueueRepair[], lookedAt: number): string {
  const name = plain(queue);
  if (repairs.length === 0)
    return `${name}: nothing is broken (${lookedAt} ids and keys looked at)`;
  const mended = repairs.filter(({ done }) => done !== undefined).length;
  const rest = mended > 0 ? `, ${mended} mended` : '; `--repair` mends what can be';
  return `${name}: ${repairs.length} broken${rest}`;
}
