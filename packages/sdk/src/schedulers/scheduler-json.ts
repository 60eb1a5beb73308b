import * as pb from '@echomq/proto/messages';
import type { Connection } from '../connection.js';
import { decodeOptions } from '../job/decode-options.js';
import type { JobsOptions } from '../job/job-options.js';
import { type PageOptions, type Pages, pagesOf } from '../paging/pages.js';
import { decodeJson } from '../payload/decode.js';
import { uint32Of } from '../payload/numbers.js';

/** A scheduler as it stood when it was read. Instants in ms since the epoch. */
export interface JobSchedulerJson<Data = unknown> {
  /** Its id, as BullMQ calls it. */
  readonly key: string;
  /** The name of its jobs. */
  readonly name: string;
  /** The interval, in ms, unless there is a pattern. */
  readonly every: number | undefined;
  /** The cron rule, unless there is an interval. */
  readonly pattern: string | undefined;
  /** The zone of the pattern; undefined: UTC. */
  readonly tz: string | undefined;
  /** At most so many jobs. */
  readonly limit: number | undefined;
  /** No job before this. */
  readonly startDate: number | undefined;
  /** No job after this. */
  readonly endDate: number | undefined;
  /** The shift of the interval, in ms. */
  readonly offset: number | undefined;
  /** When the next job runs. */
  readonly next: number | undefined;
  /** The id of the next job. BullMQ's has none. */
  readonly nextJobId: string;
  /** Jobs made so far. */
  readonly iterationCount: number;
  /** What its jobs look like. */
  readonly template: {
    /** Their payload. @throws EchoMQError of reason PAYLOAD_NOT_JSON when it is asked for */
    readonly data: Data | undefined;
    /** How they are run and kept. */
    readonly opts: JobsOptions;
  };
}

/** A scheduler as the SDK's users see it. */
export function schedulerOf<Data>(scheduler: pb.Scheduler): JobSchedulerJson<Data> {
  const { schedule, template, nextRun, nextJobId, iterations } = scheduler;
  const { repeat } = schedule ?? {};
  const cron = repeat?.$case === 'cron' ? repeat.value : undefined;
  return {
    key: scheduler.schedulerId,
    name: template?.name || scheduler.schedulerId,
    every: repeat?.$case === 'every' ? pb.durationToMs(repeat.value) : undefined,
    pattern: cron?.expression,
    tz: cron?.timeZone || undefined,
    limit: schedule?.limit,
    startDate: schedule?.startAt?.getTime(),
    endDate: schedule?.endAt?.getTime(),
    offset: pb.durationToMs(schedule?.offset),
    next: nextRun?.getTime(),
    nextJobId,
    iterationCount: iterations,
    template: {
      /** Read when it is asked for, so that a foreign writer's text that is no JSON spoils no list. */
      get data() {
        return decodeJson(template?.data ?? Buffer.alloc(0), 'template.data') as Data | undefined;
      },
      opts: decodeOptions(template?.options),
    },
  };
}

/** See `Queue.getJobSchedulers`. */
export function listSchedulers<Data>(
  connection: Connection,
  queue: string,
  options: PageOptions & { readonly order?: 'asc' | 'desc' },
): Pages<JobSchedulerJson<Data>> {
  const request = {
    queue,
    pageSize: uint32Of(options.pageSize, 'pageSize') ?? 0,
    descending: options.order === 'desc',
  };
  return pagesOf(async (pageToken) => {
    const answer = await connection.call('scheduler', 'listSchedulers', { ...request, pageToken });
    return {
      items: answer.schedulers.map((scheduler) => schedulerOf<Data>(scheduler)),
      nextPageToken: answer.nextPageToken || undefined,
    };
  }, options.pageToken);
}
