import { Worker } from '@echomq/sdk';
import { Command } from 'commander';
import { duration } from '../arguments/duration.js';
import { wholeNumber } from '../arguments/numbers.js';
import { execHandler } from '../exec/exec-handler.js';
import { reportError, UsageError } from '../exit/report-error.js';
import { overGateway, type Session } from '../gateway/over-gateway.js';
import { plain, short } from '../output/plain.js';
import type { Program } from '../program-state.js';

interface Options {
  readonly exec: string;
  readonly concurrency: number;
  readonly name?: string;
  readonly lockDuration?: number;
  readonly grace: number;
  readonly quiet?: boolean;
}

/** `echomq work`: a shell command as the worker of a queue. */
export function workCommand(program: Program): Command {
  const command = new Command('work')
    .description(
      'Runs a shell command for each job: the payload on its input, the result from its output (JSON, else a text). ' +
        'An exit code other than 0 fails the attempt with the end of its error stream.',
    )
    .argument('<queues...>', 'the queues')
    .requiredOption(
      '--exec <command>',
      'what runs, by /bin/sh; ECHOMQ_JOB_ID, _NAME, _QUEUE and _ATTEMPT tell of the job',
    )
    .option('--concurrency <n>', 'commands at once', wholeNumber(1), 1)
    .option('--name <name>', 'what the worker is called; the host by default')
    .option('--lock-duration <span>', 'after this the jobs of a dead worker are free', duration)
    .option('--grace <span>', 'at the first signal running commands get so long', duration, 30_000)
    .option('--quiet', 'say nothing of single jobs');
  return overGateway<[string[]], Options>(command, program, work);
}

/** The first signal lets running commands end, for `grace` at most; then they are killed and their jobs go back. */
async function work(session: Session, options: Options, [queues]: [string[]]): Promise<void> {
  const { connection, terminal } = session;
  if (options.exec.trim() === '') throw new UsageError('--exec is empty');
  const { concurrency, name, lockDuration } = options;
  const worker = new Worker(queues, execHandler(options.exec, terminal.env), {
    ...{ connection, concurrency },
    ...(name === undefined ? {} : { name }),
    ...(lockDuration === undefined ? {} : { lockDuration }),
  });
  report(worker, session, options.quiet ?? false);
  terminal.endGently();
  await new Promise<void>((resolve) => {
    if (terminal.interrupted.aborted) resolve();
    terminal.interrupted.addEventListener('abort', () => resolve(), { once: true });
  });
  await worker.close({ timeoutMs: options.grace });
}

function report(worker: Worker, { terminal, json, connection }: Session, quiet: boolean): void {
  const say = (event: string, facts: Readonly<Record<string, unknown>>, words: string) => {
    if (quiet && event !== 'error') return;
    void terminal.out(json ? JSON.stringify({ event, ...facts }) : words);
  };
  worker.once('ready', () =>
    terminal.note(
      `echomq: ${plain(worker.name)} works on ${plain(worker.queueNames.join(', '))} at ${connection.target}`,
    ),
  );
  worker.on('completed', ({ queueName: queue, id }) =>
    say('completed', { queue, id }, `${plain(id)} completed`),
  );
  worker.on('failed', ({ queueName: queue, id }, { message }, { final }) => {
    const words = `${plain(id)} failed${final ? '' : ', to be tried again'}: ${short(message, 200)}`;
    say('failed', { queue, id, final, message }, words);
  });
  worker.on('leaseLost', ({ queueName: queue, id }, { reason }) =>
    say('leaseLost', { queue, id, reason }, `${plain(id)} is no longer ours (${reason}): killed`),
  );
  worker.on('error', (error) => void reportError(error, terminal, json));
  worker.on('disconnected', (error) => {
    if (error) terminal.note(`echomq: ${plain(error.message)}; trying again`);
  });
}
