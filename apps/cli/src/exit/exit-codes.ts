import {
  AccessDenied,
  DeadlineExceeded,
  EchoMQError,
  InvalidRequest,
  JobFailed,
  JobNotFound,
  NotSupported,
  QueueNotFound,
  Unavailable,
} from '@echomq/sdk';

/** What the exit code of the command says. Stable: scripts may branch on it. */
export const EXIT = {
  /** It is done. */
  done: 0,
  /** It failed, for none of the reasons below. */
  failed: 1,
  /** The command line is wrong: an unknown flag, a missing argument, a value that cannot be. Nothing was changed. */
  usage: 2,
  /** The queue, job or scheduler is not there. */
  notFound: 3,
  /** No gateway could be reached, its store is away, or no answer came in time. Try again. */
  unavailable: 4,
  /** The credentials are missing, wrong, or do not allow it. */
  denied: 5,
  /** The gateway refused: the job is in another state, the queue is full, a limit is reached. */
  refused: 6,
  /** `doctor` found something broken that was not mended. */
  broken: 7,
  /** It was interrupted: Ctrl-C, or SIGTERM. */
  interrupted: 130,
} as const;

/** One of {@link EXIT}. */
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

const REFUSALS: ReadonlySet<string> = new Set([
  'FAILED_PRECONDITION',
  'RESOURCE_EXHAUSTED',
  'ABORTED',
]);

/** The exit code for what a command threw. */
export function exitCodeOf(error: unknown): ExitCode {
  if (!(error instanceof EchoMQError)) return EXIT.failed;
  if (error instanceof InvalidRequest) return EXIT.usage;
  if (error instanceof JobNotFound || error instanceof QueueNotFound) return EXIT.notFound;
  if (error.code === 'NOT_FOUND') return EXIT.notFound;
  if (error instanceof Unavailable || error instanceof DeadlineExceeded) return EXIT.unavailable;
  if (error instanceof AccessDenied) return EXIT.denied;
  if (error instanceof JobFailed || error instanceof NotSupported) return EXIT.failed;
  return REFUSALS.has(error.code) ? EXIT.refused : EXIT.failed;
}
