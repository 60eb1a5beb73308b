import type { ModelJob, ModelQueue } from './state.js';

/** A queue as lines by name, from the model and from the store alike. */
export type Lines = Record<string, string>;

/** Times after this come from the store's own clock: the commands' are all before it. */
export const CLOCK_BEGINS = 1_750_000_000_000;

/** What the model says where the store asks its clock. */
export const CLOCK = 4_000_000_000_000;

const time = (ms: number): string => (ms > CLOCK_BEGINS ? 'clock' : String(ms));

/** Ids with their times; those by the store's clock are in no order that is known. */
export function timed(entries: readonly (readonly [string, number])[]): string {
  const known = entries.filter(([, at]) => at <= CLOCK_BEGINS).map(([id, at]) => `${id}@${at}`);
  const others = entries.filter(([, at]) => at > CLOCK_BEGINS).map(([id]) => `${id}@clock`);
  return [...known, ...others.sort()].join(' ');
}

/** A job as a line. Values are those of its hash, absent ones empty. */
export function jobLine(field: (name: string) => string | undefined): string {
  const at = (name: string) => (field(name) === undefined ? '' : time(Number(field(name))));
  const number = (name: string) => Number(field(name) ?? 0);
  return [
    `priority ${number('priority')} delay ${number('delay')} made ${number('atm')}`,
    `started ${number('ats')} stalls ${number('stc')} since ${at('processedOn')} ended ${at('finishedOn')}`,
    `parent ${field('parentKey') ?? ''} dedup ${field('deid') ?? ''} run of ${field('rjk') ?? ''}`,
    `result ${field('returnvalue') ?? ''} reason ${field('failedReason') ?? ''} to fail ${field('defa') ?? ''}`,
    `cancel ${field('echomq.cancel') ?? ''} unbegun ${at('echomq.unbegun')} stalled ${at('echomq.stalled')} progress ${field('progress') ?? ''}`,
  ].join(' ');
}

/** The model's lines. Empty places have none. */
export function linesOf(queue: ModelQueue): Lines {
  const lines: Lines = {};
  const put = (name: string, text: string) => {
    if (text !== '') lines[name] = text;
  };
  put('wait', queue.wait.join(' '));
  put('active', queue.active.join(' '));
  put('prioritized', queue.prioritized.map(({ id }) => id).join(' '));
  put('delayed', timed(queue.delayed.map(({ id, score }) => [id, Math.floor(score / 4096)])));
  put('waiting-children', [...queue.waitingChildren.keys()].sort().join(' '));
  put('completed', timed(queue.completed.map(({ id, at }) => [id, at])));
  put('failed', timed(queue.failed.map(({ id, at }) => [id, at])));
  put('stalled', [...queue.stalled].sort().join(' '));
  for (const job of queue.jobs.values()) {
    put(
      `job ${job.id}`,
      jobLine((name) => fieldOf(job, name)),
    );
    if (job.logs > 0) put(`${job.id}:logs`, String(job.logs));
  }
  const relations = [
    ['dependencies', queue.pending],
    ['processed', queue.processed],
    ['failed', queue.ignored],
    ['unsuccessful', queue.unsuccessful],
  ] as const;
  for (const [suffix, map] of relations) {
    for (const [id, children] of map) put(`${id}:${suffix}`, [...children].sort().join(' '));
  }
  for (const [id, token] of queue.locks) put(`${id}:lock`, token);
  for (const [id, { id: owner, expires }] of queue.owners) {
    put(`de:${id}`, `${owner}${expires ? ' expires' : ''}`);
  }
  for (const [id, kept] of queue.kept) put(`dn:${id}`, kept.id);
  for (const [id, { due, every, runs }] of queue.schedulers) {
    put(`repeat:${id}`, `next ${due} every ${every} runs ${runs}`);
  }
  put('gate', queue.paused ? 'paused' : '');
  put('limiter', queue.limiter === undefined ? '' : String(queue.limiter));
  put('ended', `${queue.ends.completed} ${queue.ends.failed}`);
  put('id', queue.counter === 0 ? '' : String(queue.counter));
  return lines;
}

function fieldOf(job: ModelJob, name: string): string | undefined {
  const text = (value: number | string | undefined) =>
    value === undefined ? undefined : String(value);
  switch (name) {
    case 'priority':
      return text(job.priority);
    case 'delay':
      return text(job.delay);
    case 'atm':
      return text(job.made);
    case 'ats':
      return text(job.started);
    case 'stc':
      return text(job.stalls);
    case 'processedOn':
      return text(job.processedOn);
    case 'finishedOn':
      return text(job.finishedOn);
    case 'parentKey':
      return job.parent?.id;
    case 'deid':
      return job.dedup;
    case 'rjk':
      return job.scheduler;
    case 'returnvalue':
      return job.result;
    case 'failedReason':
      return job.reason;
    case 'defa':
      return job.deferred;
    case 'echomq.cancel':
      return job.cancel;
    case 'echomq.unbegun':
      return text(job.unbegun);
    case 'echomq.stalled':
      return text(job.stalledRun);
    default:
      return job.progress;
  }
}
