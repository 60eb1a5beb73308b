import { AccessDenied, EchoMQError, NotSupported, Unavailable } from '@echomq/sdk';

/** What somebody may do about a reason; by the names of the contract's registry. */
const BY_REASON: Readonly<Record<string, string>> = {
  QUEUE_NOT_FOUND:
    'See the names with `echomq status`; an empty queue is one that nothing was ever added to.',
  JOB_NOT_FOUND: 'It was never added, or finished and was removed. See `echomq list QUEUE`.',
  SCHEDULER_NOT_FOUND: 'See `echomq schedulers list QUEUE`.',
  JOB_NOT_IN_STATE: 'See where it is with `echomq get QUEUE ID`.',
  JOB_LOCKED: 'A worker runs it. Wait for it, or say --force: its worker then loses it.',
  JOB_BELONGS_TO_SCHEDULER:
    'It is the next run of a scheduler: remove that with `echomq schedulers remove`.',
  QUEUE_FULL:
    'The queue has as many jobs as its limit allows. Let workers catch up, or raise the limit.',
  BACKEND_OUT_OF_MEMORY:
    'Redis has no memory left. Remove old jobs with `echomq clean`, or give it more.',
  BACKEND_UNAVAILABLE:
    'The gateway runs and does not reach its Redis: look there, and at `store.away` in the log of the gateway.',
  PAYLOAD_TOO_LARGE: 'Put the content elsewhere and its address into the job.',
  CRON_INVALID: 'A rule has five fields, or six with seconds first: `--pattern "0 3 * * *"`.',
  SCRIPT_ERROR:
    'See what is broken with `echomq doctor QUEUE`; the log of the gateway has the id, and why.',
  OUTCOME_UNKNOWN: 'The link broke on the way: look before you do it again.',
  // Of the SDK, not of the contract: nobody but the waiting has given up.
  WAIT_TIMED_OUT:
    'The job stands: see it with `echomq get QUEUE ID`, or give it longer with --wait.',
};

/** The reasons that have advice of their own. */
export const ADVISED: readonly string[] = Object.keys(BY_REASON);

/** A sentence on what to do about an error, or undefined where nothing helps but its own text. */
export function adviceFor(error: unknown): string | undefined {
  if (!(error instanceof EchoMQError)) return undefined;
  const known = BY_REASON[error.reason];
  if (known !== undefined) return known;
  if (error instanceof Unavailable) {
    return 'Is the gateway up, and is this its address? See --address and ECHOMQ_ADDRESS.';
  }
  if (error instanceof AccessDenied) {
    return error.code === 'UNAUTHENTICATED'
      ? 'Say who you are: --token-file, ECHOMQ_TOKEN, or --tls-cert with --tls-key.'
      : 'These credentials do not allow it: ask for the right, or use others.';
  }
  if (error instanceof NotSupported) return 'The gateway is older than this command: update it.';
  if (error.code === 'DEADLINE_EXCEEDED') {
    return 'Give it longer with --timeout, or look whether --address is that of a gateway.';
  }
  return undefined;
}
