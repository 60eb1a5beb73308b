/** Canonical status names, as in gRPC. */
export type StatusCode =
  | 'CANCELLED'
  | 'UNKNOWN'
  | 'INVALID_ARGUMENT'
  | 'DEADLINE_EXCEEDED'
  | 'NOT_FOUND'
  | 'ALREADY_EXISTS'
  | 'PERMISSION_DENIED'
  | 'RESOURCE_EXHAUSTED'
  | 'FAILED_PRECONDITION'
  | 'ABORTED'
  | 'OUT_OF_RANGE'
  | 'UNIMPLEMENTED'
  | 'INTERNAL'
  | 'UNAVAILABLE'
  | 'UNAUTHENTICATED';

/** What an error carries besides its message. */
export interface ErrorDetails {
  /** Canonical status name. */
  readonly code: StatusCode;
  /** Why, by name: a reason of the contract's registry, or empty where only the transport spoke. */
  readonly reason: string;
  /** Whether the same call may succeed later without a change. */
  readonly retryable?: boolean;
  /** When a retry is worth while, in ms from now. */
  readonly retryAfterMs?: number | undefined;
  /** Facts by name: `queue`, `jobId`, `field`, limits. */
  readonly metadata?: Readonly<Record<string, string>>;
  /** What caused it. */
  readonly cause?: unknown;
}

/**
 * The root of every error that the SDK raises on purpose. Branch on its class or on `reason`, never on its text.
 */
export class EchoMQError extends Error {
  override readonly name: string = 'EchoMQError';
  /** Canonical status name. */
  readonly code: StatusCode;
  /** Why, by name; empty where the transport failed without a word from the gateway. */
  readonly reason: string;
  /** Whether the same call may succeed later without a change. */
  readonly retryable: boolean;
  /** When a retry is worth while, in ms from when the error came. */
  readonly retryAfterMs: number | undefined;
  /** Facts by name: `queue`, `jobId`, `field`, limits. */
  readonly metadata: Readonly<Record<string, string>>;

  constructor(message: string, details: ErrorDetails) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = details.code;
    this.reason = details.reason;
    this.retryable = details.retryable ?? false;
    this.retryAfterMs = details.retryAfterMs;
    this.metadata = details.metadata ?? {};
  }
}

/** The request itself is wrong and changed nothing. `field` is its path, for example `options.delay`. */
export class InvalidRequest extends EchoMQError {
  override readonly name: string = 'InvalidRequest';
  /** The path of what is wrong; empty if the gateway named none. */
  readonly field: string;

  constructor(message: string, details: ErrorDetails) {
    super(message, details);
    this.field = details.metadata?.field ?? '';
  }
}

/** A payload, or a whole message, is over a limit. The same call can never succeed. */
export class PayloadTooLarge extends InvalidRequest {
  override readonly name: string = 'PayloadTooLarge';

  /** The limit in bytes, if it was told. */
  get limitBytes(): number | undefined {
    return numberOf(this.metadata.limitBytes);
  }

  /** The size in bytes, if it was told. */
  get actualBytes(): number | undefined {
    return numberOf(this.metadata.actualBytes);
  }
}

/** The job is not there: never added, or finished and removed. */
export class JobNotFound extends EchoMQError {
  override readonly name: string = 'JobNotFound';
}

/** The queue is not there: nothing was ever added to it or set on it. */
export class QueueNotFound extends EchoMQError {
  override readonly name: string = 'QueueNotFound';
}

/** The job is in another state than the call needs; metadata `expected` and `actual`. */
export class JobNotInState extends EchoMQError {
  override readonly name: string = 'JobNotInState';
}

/**
 * The job is no longer this worker's: its lock ran out, another delivery owns it, or it was removed. Stop and discard
 * the result; nothing that this run reports is taken.
 */
export class LeaseLost extends EchoMQError {
  override readonly name: string = 'LeaseLost';
}

/** Somebody asked for the job to be cancelled. Stop; whatever is returned or thrown, the job ends as cancelled. */
export class JobCancelled extends EchoMQError {
  override readonly name: string = 'JobCancelled';
}

/** The worker closes and has given the job back; nothing that this run reports is taken. */
export class WorkerClosed extends EchoMQError {
  override readonly name: string = 'WorkerClosed';
}

/** The gateway or its store cannot be reached. `reason` is empty where the call may have had effect all the same. */
export class Unavailable extends EchoMQError {
  override readonly name: string = 'Unavailable';
}

/** The link broke after the change was sent: it may or may not have been made. */
export class OutcomeUnknown extends EchoMQError {
  override readonly name: string = 'OutcomeUnknown';
}

/** The answer did not come within the call's time. It may have had effect. */
export class DeadlineExceeded extends EchoMQError {
  override readonly name: string = 'DeadlineExceeded';
}

/** The end of a job was waited for, and it has failed for good. The message is what its worker gave as the reason. */
export class JobFailed extends EchoMQError {
  override readonly name: string = 'JobFailed';

  /** Why it failed. */
  get failedReason(): string {
    return this.message;
  }
}

/** The end of a job was waited for, and it took longer than that. The job goes on. */
export class WaitTimedOut extends DeadlineExceeded {
  override readonly name: string = 'WaitTimedOut';
}

/** Too much at once: too many waiters or streams, a full queue or store. Retry later. */
export class Overloaded extends EchoMQError {
  override readonly name: string = 'Overloaded';
}

/** The credentials are missing, wrong or expired, or do not allow the call. */
export class AccessDenied extends EchoMQError {
  override readonly name: string = 'AccessDenied';
}

/** The gateway does not serve this call. */
export class NotSupported extends EchoMQError {
  override readonly name: string = 'NotSupported';
}

type ErrorClass = new (message: string, details: ErrorDetails) => EchoMQError;

const BY_REASON: Readonly<Record<string, ErrorClass>> = {
  PAYLOAD_TOO_LARGE: PayloadTooLarge,
  JOB_NOT_FOUND: JobNotFound,
  QUEUE_NOT_FOUND: QueueNotFound,
  JOB_NOT_IN_STATE: JobNotInState,
  LOCK_LOST: LeaseLost,
  LOCK_NOT_OWNED: LeaseLost,
  CANCEL_REQUESTED: JobCancelled,
  WORKER_CLOSED: WorkerClosed,
  OUTCOME_UNKNOWN: OutcomeUnknown,
};

const BY_CODE: Readonly<Partial<Record<StatusCode, ErrorClass>>> = {
  INVALID_ARGUMENT: InvalidRequest,
  DEADLINE_EXCEEDED: DeadlineExceeded,
  PERMISSION_DENIED: AccessDenied,
  UNAUTHENTICATED: AccessDenied,
  RESOURCE_EXHAUSTED: Overloaded,
  UNAVAILABLE: Unavailable,
  UNIMPLEMENTED: NotSupported,
};

/** The error of the class that belongs to the reason, else to the code. */
export function errorOf(message: string, details: ErrorDetails): EchoMQError {
  const Class = BY_REASON[details.reason] ?? BY_CODE[details.code] ?? EchoMQError;
  return new Class(message, details);
}

/** A refusal on this side, before anything was sent. */
export function invalid(field: string, problem: string, reason = 'INVALID_FIELD'): InvalidRequest {
  return new InvalidRequest(`${field}: ${problem}`, {
    code: 'INVALID_ARGUMENT',
    reason,
    metadata: { field },
  });
}

/** The job that was waited for has failed. */
export function jobFailed(
  { queue, jobId }: { readonly queue: string; readonly jobId: string },
  failedReason: string,
): JobFailed {
  return new JobFailed(failedReason, {
    code: 'ABORTED',
    reason: 'JOB_FAILED',
    metadata: { queue, jobId },
  });
}

/** The job that was waited for has not finished in time. @param cause what kept it from being heard of */
export function waitTimedOut(
  { queue, jobId }: { readonly queue: string; readonly jobId: string },
  ttlMs: number,
  cause?: EchoMQError,
): WaitTimedOut {
  return new WaitTimedOut(`the job ${jobId} did not finish within ${ttlMs} ms`, {
    code: 'DEADLINE_EXCEEDED',
    reason: 'WAIT_TIMED_OUT',
    retryable: true,
    metadata: { queue, jobId },
    cause,
  });
}

/** A payload over a limit that is known on this side. */
export function tooLarge(field: string, limitBytes: number, actualBytes: number): PayloadTooLarge {
  return new PayloadTooLarge(`${field}: ${actualBytes} bytes, the limit is ${limitBytes}`, {
    code: 'INVALID_ARGUMENT',
    reason: 'PAYLOAD_TOO_LARGE',
    metadata: { field, limitBytes: `${limitBytes}`, actualBytes: `${actualBytes}` },
  });
}

function numberOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Number(text);
}
