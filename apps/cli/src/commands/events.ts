import { type KnownEventName, Queue, type QueueEvent, QueueEvents } from '@echomq/sdk';
import { Command } from 'commander';
import { EXIT, exitCodeOf } from '../exit/exit-codes.js';
import { reportError } from '../exit/report-error.js';
import { overGateway } from '../gateway/over-gateway.js';
import { plain, short } from '../output/plain.js';
import type { Program } from '../program-state.js';

interface Options {
  readonly follow?: boolean;
  readonly from?: string;
  readonly types?: KnownEventName[];
  readonly job?: string[];
  readonly payloads?: boolean;
}

/** Without --follow: this long without an event, and all that is kept was read, ms. */
const SILENT_MS = 500;

/** `echomq events`: what happens in a queue. */
export function eventsCommand(program: Program): Command {
  const command = new Command('events')
    .description(
      'Shows the events of a queue: those that are kept, or with --follow those to come.',
    )
    .argument('<queue>', 'the queue')
    .option('-f, --follow', 'go on until it is interrupted, from now on unless --from says else')
    .option('--from <id>', '`oldest`, `now`, or the id of the event after which to begin')
    .option('--types <names...>', 'only these, as completed failed')
    .option('--job <ids...>', 'only of these jobs')
    .option('--payloads', 'with results and progress');
  return overGateway<[string], Options>(
    command,
    program,
    async ({ connection, terminal, json }, options, [name]) => {
      const { follow = false, from = follow ? 'now' : 'oldest', types = [], job = [] } = options;
      const events = new QueueEvents(name, {
        ...{ connection, types, jobIds: job, autorun: false, start: from },
        includePayloads: options.payloads ?? false,
      });
      const close = () => void events.close();
      let failure: Error | undefined;
      events.on('error', (error) => {
        if (follow || exitCodeOf(error) !== EXIT.unavailable) {
          reportError(error, terminal, json);
          return;
        }
        failure = error;
        close();
      });
      terminal.interrupted.addEventListener('abort', close, { once: true });
      // Silence tells that all was read only of a gateway that answers.
      if (!follow) await new Queue(name, { connection }).getJobCounts();
      let silent = follow ? undefined : setTimeout(close, SILENT_MS * 4);
      try {
        for await (const event of events.events()) {
          await terminal.out(json ? JSON.stringify(event) : worded(event));
          if (silent === undefined) continue;
          clearTimeout(silent);
          silent = setTimeout(close, SILENT_MS);
        }
      } finally {
        clearTimeout(silent);
        terminal.interrupted.removeEventListener('abort', close);
        await events.close();
      }
      if (failure) throw failure;
      return terminal.interrupted.aborted ? EXIT.interrupted : undefined;
    },
  );
}

function worded(event: QueueEvent): string {
  if (event.event === 'gap') return `(events were trimmed before they could be read)`;
  const { event: name, at, jobId, ...facts } = event as typeof event & { readonly jobId?: string };
  const told = Object.entries(facts)
    .filter(([fact, value]) => fact !== 'id' && value !== undefined)
    .map(([fact, value]) => `${fact}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(' ');
  const head = `${at.toISOString()} ${name.padEnd(10)} ${plain(jobId ?? '')}`;
  return `${head} ${short(told, 200)}`.trimEnd();
}
