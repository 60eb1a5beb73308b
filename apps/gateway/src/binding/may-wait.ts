import type { Services } from '@echomq/engine';
import type {
  Duration,
  FetchJobsRequest,
  FinishJobRequest,
  FinishJobsRequest,
  PollEventsRequest,
  WaitJobRequest,
} from '@echomq/proto/messages';

const isSpan = (wait: Duration | undefined): boolean =>
  wait !== undefined && (wait.seconds > 0 || wait.nanos > 0);

/** The unary rpcs that may wait, with the requests that do; a fetch waits unless it says that it does not. */
const WAITING: { readonly [name: string]: (request: never) => boolean } = {
  'worker.fetchJobs': ({ wait }: FetchJobsRequest) => wait === undefined || isSpan(wait),
  'worker.finishJob': ({ fetchNext }: FinishJobRequest) => isSpan(fetchNext?.wait),
  'worker.finishJobs': ({ fetchNext }: FinishJobsRequest) => isSpan(fetchNext?.wait),
  'producer.waitJob': ({ wait }: WaitJobRequest) => isSpan(wait),
  'event.pollEvents': ({ wait }: PollEventsRequest) => isSpan(wait),
};

const never = () => false;

/** Whether the requests of an rpc may wait for something to happen. */
export function mayWaitOf(service: keyof Services, method: string): (request: unknown) => boolean {
  return (WAITING[`${service}.${method}`] as ((request: unknown) => boolean) | undefined) ?? never;
}
