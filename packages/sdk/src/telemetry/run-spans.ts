import { type DeliveredJob, durationToMs } from '@echomq/proto/messages';
import type { RunEnd } from '../worker/outcomes.js';
import type { SpanFacts, Telemetry } from './telemetry.js';

type Kind = 'wait' | 'run' | 'finish';

/**
 * Runs a handler within the spans `wait` (from when the job was ready until now) and `run`, both below the span that
 * added the job.
 *
 * @returns how it ended, and the context of the run
 */
export async function tracedRun(
  telemetry: Telemetry,
  job: DeliveredJob,
  run: () => Promise<RunEnd>,
): Promise<{ readonly end: RunEnd; readonly headers: Readonly<Record<string, string>> }> {
  const { headers: parent } = job;
  const ready = readyAt(job);
  // Only the first run is known to have waited since then.
  if (job.attemptsStarted <= 1 && ready !== undefined) {
    const startedAt = ready > new Date() ? new Date() : ready;
    const request = { ...named('wait', job), kind: 'internal' as const, parent, startedAt };
    await telemetry.span(request, async () => undefined);
  }
  return telemetry.span({ ...named('run', job), kind: 'consumer', parent }, async (span) => {
    const end = await run();
    span.note({ 'echomq.job.end': end.outcome.kind?.$case ?? '' });
    if (end.told.as === 'failed') span.fail(end.told.error);
    return { end, headers: span.headers };
  });
}

/**
 * A span from the end of a run until `done` resolves: its result is stored. What `done` rejects with fails it. Never
 * rejects.
 */
export function traceFinish(
  telemetry: Telemetry,
  job: DeliveredJob,
  {
    parent,
    done,
  }: { readonly parent: Readonly<Record<string, string>>; readonly done: Promise<void> },
): void {
  const request = { ...named('finish', job), kind: 'internal' as const, parent };
  telemetry.span(request, () => done).catch(() => undefined);
}

const TYPES: Readonly<Record<Kind, SpanFacts>> = {
  wait: {},
  run: { 'messaging.operation.type': 'process' },
  finish: { 'messaging.operation.type': 'settle' },
};

function named(
  kind: Kind,
  job: DeliveredJob,
): { readonly name: string; readonly facts: SpanFacts } {
  const queue = job.lease?.queue ?? '';
  return {
    name: `${kind} ${queue}`,
    facts: {
      'messaging.system': 'echomq',
      'messaging.operation.name': kind,
      ...TYPES[kind],
      'messaging.destination.name': queue,
      'messaging.message.id': job.lease?.jobId ?? '',
      'echomq.job.name': job.name,
      'echomq.job.attempt': job.attempt,
    },
  };
}

function readyAt({ createdAt, options }: DeliveredJob): Date | undefined {
  if (createdAt === undefined) return undefined;
  const due = options?.due;
  if (due?.$case === 'runAt') return due.value;
  return due ? new Date(createdAt.getTime() + durationToMs(due.value)) : createdAt;
}
