/** Canonical status names, as in gRPC; the gateway alone knows their numbers. */
export type StatusCode =
  | 'INVALID_ARGUMENT'
  | 'NOT_FOUND'
  | 'ALREADY_EXISTS'
  | 'FAILED_PRECONDITION'
  | 'RESOURCE_EXHAUSTED'
  | 'ABORTED'
  | 'OUT_OF_RANGE'
  | 'UNAVAILABLE'
  | 'UNKNOWN'
  | 'DEADLINE_EXCEEDED'
  | 'CANCELLED'
  | 'UNAUTHENTICATED'
  | 'PERMISSION_DENIED'
  | 'UNIMPLEMENTED'
  | 'INTERNAL';

/** What an error carries besides its message. */
export interface ErrorDetails {
  /** Canonical status name. */
  readonly code: StatusCode;
  /** The reason of the contract's registry (`ErrorInfo.reason`). Clients branch on this, never on text. */
  readonly reason: string;
  /** Whether the same call may succeed later without a change. */
  readonly retryable?: boolean;
  /** When a retry is worth while, in ms from now. */
  readonly retryAfterMs?: number;
  /** Facts for the caller: queue, jobId, field, limits. Values are short and free of secrets. */
  readonly metadata?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
}

/** The root of every error that EchoMQ raises on purpose. */
export class EchoMQError extends Error {
  override readonly name: string = 'EchoMQError';
  readonly code: StatusCode;
  readonly reason: string;
  readonly retryable: boolean;
  readonly retryAfterMs: number | undefined;
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

/** Refused before Redis saw anything: the request itself is wrong. `field` is its path, as in `options.delay`. */
export class InvalidRequest extends EchoMQError {
  override readonly name = 'InvalidRequest';

  constructor(
    readonly field: string,
    problem: string,
    reason = 'INVALID_FIELD',
    metadata: Readonly<Record<string, string>> = {},
  ) {
    super(`${field}: ${problem}`, {
      code: 'INVALID_ARGUMENT',
      reason,
      metadata: { field, ...metadata },
    });
  }
}

/** The store could not be reached, or refused to work. Nothing was executed unless `mayHaveApplied`. */
export class StoreUnavailable extends EchoMQError {
  override readonly name = 'StoreUnavailable';

  constructor(
    message: string,
    readonly mayHaveApplied: boolean,
    cause?: unknown,
  ) {
    super(message, {
      code: mayHaveApplied ? 'UNKNOWN' : 'UNAVAILABLE',
      reason: mayHaveApplied ? 'OUTCOME_UNKNOWN' : 'BACKEND_UNAVAILABLE',
      retryable: true,
      ...(mayHaveApplied ? {} : { retryAfterMs: 500 }),
      cause,
    });
  }
}

/** The store's memory limit is reached and the write was refused whole. */
export class StoreFull extends EchoMQError {
  override readonly name = 'StoreFull';

  constructor(cause?: unknown) {
    super('the store is out of memory; nothing was written', {
      code: 'RESOURCE_EXHAUSTED',
      reason: 'BACKEND_OUT_OF_MEMORY',
      retryable: true,
      retryAfterMs: 1_000,
      cause,
    });
  }
}

/** Our own bug: a script failed, or answered what it may not. The message stays inside; it is logged. */
export class ContractBroken extends EchoMQError {
  override readonly name = 'ContractBroken';

  constructor(message: string, cause?: unknown) {
    super(message, { code: 'INTERNAL', reason: 'SCRIPT_ERROR', cause });
  }
}
