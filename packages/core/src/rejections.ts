import { REJECTIONS, type Rejection } from '@echomq/lua';
import { EchoMQError, type StatusCode } from './errors.js';

/** The status of each rejection, as the contract's registry has it. */
const STATUS: Readonly<Record<Rejection, StatusCode>> = {
  JOB_NOT_FOUND: 'NOT_FOUND',
  LOCK_LOST: 'FAILED_PRECONDITION',
  JOB_NOT_IN_STATE: 'FAILED_PRECONDITION',
  JOB_HAS_PENDING_CHILDREN: 'FAILED_PRECONDITION',
  PARENT_JOB_NOT_FOUND: 'FAILED_PRECONDITION',
  LOCK_NOT_OWNED: 'FAILED_PRECONDITION',
  PARENT_JOB_CANNOT_BE_REPLACED: 'FAILED_PRECONDITION',
  JOB_BELONGS_TO_SCHEDULER: 'FAILED_PRECONDITION',
  JOB_HAS_FAILED_CHILDREN: 'FAILED_PRECONDITION',
  SCHEDULER_JOB_ID_COLLISION: 'ALREADY_EXISTS',
  SCHEDULER_JOB_SLOTS_BUSY: 'FAILED_PRECONDITION',
  QUEUE_NOT_PAUSED: 'FAILED_PRECONDITION',
  QUEUE_HAS_ACTIVE_JOBS: 'FAILED_PRECONDITION',
  JOB_LOCKED: 'FAILED_PRECONDITION',
  REQUEST_ID_REUSED: 'ABORTED',
  QUEUE_FULL: 'RESOURCE_EXHAUSTED',
  PAYLOAD_TOO_LARGE: 'INVALID_ARGUMENT',
};

/** In words, for people; programs branch on the reason. */
const WORDS: Readonly<Record<Rejection, string>> = {
  JOB_NOT_FOUND: 'there is no such job',
  LOCK_LOST: 'the lease has ended: it expired, or the job was finished',
  JOB_NOT_IN_STATE: 'the job is not in the state that this needs',
  JOB_HAS_PENDING_CHILDREN: 'the job has children that have not ended',
  PARENT_JOB_NOT_FOUND: 'there is no such parent job',
  LOCK_NOT_OWNED: 'another delivery owns the job',
  PARENT_JOB_CANNOT_BE_REPLACED: 'the job belongs to another living parent',
  JOB_BELONGS_TO_SCHEDULER: 'the job is the next run of a scheduler',
  JOB_HAS_FAILED_CHILDREN: 'the job has children that failed',
  SCHEDULER_JOB_ID_COLLISION: 'a job with the id of the next run exists',
  SCHEDULER_JOB_SLOTS_BUSY: 'all time slots of the scheduler are taken',
  QUEUE_NOT_PAUSED: 'the queue is not paused',
  QUEUE_HAS_ACTIVE_JOBS: 'the queue has active jobs',
  JOB_LOCKED: 'a worker is running the job',
  REQUEST_ID_REUSED: 'the id was used for another request',
  QUEUE_FULL: 'the queue holds as many jobs as it may',
  PAYLOAD_TOO_LARGE: 'the data is longer than the queue allows',
};

const NAME_BY_CODE: ReadonlyMap<number, Rejection> = new Map(
  (Object.keys(REJECTIONS) as Rejection[]).map((name) => [REJECTIONS[name], name]),
);

/** The name of a rejection code, or `undefined` for a number that is none. */
export function rejectionOf(code: unknown): Rejection | undefined {
  return typeof code === 'number' ? NAME_BY_CODE.get(code) : undefined;
}

/** The facts of a limit, from { rejection, index, what there is, what is allowed }. */
export function limitFacts(reply: readonly unknown[]): Readonly<Record<string, string>> {
  const [, , actual, limit] = reply.map(String);
  if (actual === undefined || limit === undefined) return {};
  return rejectionOf(reply[0]) === 'QUEUE_FULL'
    ? { depth: actual, limit }
    : { actualBytes: actual, limitBytes: limit };
}

/** Lua's "no": a transition was refused and has written nothing. */
export class TransitionRejected extends EchoMQError {
  override readonly name = 'TransitionRejected';

  constructor(
    /** The transition's name, as in lua/transitions. */
    readonly transition: string,
    override readonly reason: Rejection,
    /** What it was about. */
    readonly subject: { readonly queue?: string; readonly jobId?: string },
    /** What a limit says: see {@link limitFacts}. */
    facts: Readonly<Record<string, string>> = {},
  ) {
    super(WORDS[reason], {
      code: STATUS[reason],
      reason,
      metadata: {
        ...(subject.queue === undefined ? {} : { queue: subject.queue }),
        ...(subject.jobId === undefined ? {} : { job_id: subject.jobId }),
        ...facts,
      },
    });
  }
}
