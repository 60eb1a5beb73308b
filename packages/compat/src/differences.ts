import type { Peer } from './oracle/peers.js';

/** A difference from BullMQ that is meant. */
export interface Difference {
  /** The releases from which EchoMQ differs. */
  readonly peers: readonly Peer[];
  /** What EchoMQ does, and what BullMQ does. */
  readonly what: string;
  readonly why: string;
}

const BOTH: readonly Peer[] = ['6.7.0', '5.81.5'];
const SIX: readonly Peer[] = ['6.7.0'];
const FIVE: readonly Peer[] = ['5.81.5'];

const list = {
  'nothing-on-rejection': {
    peers: BOTH,
    what: 'A refused call has written nothing. BullMQ has raised the id counter before it refuses an add; released the lock and stored the failure before it finds that the job is not active; promoted due jobs before it looks at a lock; and calls giving back a job that is not active a success.',
    why: 'A refusal can be repeated or reported without a trace to clean up.',
  },
  'token-of-nobody': {
    peers: BOTH,
    what: 'The tokens `""` and `"0"` are refused. BullMQ takes `"0"` for a fetch without a lock, and lets it finish any job.',
    why: 'Ownership would otherwise be a matter of courtesy.',
  },
  'owner-writes': {
    peers: BOTH,
    what: 'Data and log rows of a running job are taken from the owner of its lock alone. BullMQ asks for no token.',
    why: 'A worker that has lost its lease must not overwrite what the next one does.',
  },
  'batch-all-or-nothing': {
    peers: BOTH,
    what: 'A bulk add of which one item is refused adds nothing. BullMQ adds the others, and the code of the refusal becomes the id of a job.',
    why: 'The caller knows what stands.',
  },
  'flow-all-or-nothing': {
    peers: BOTH,
    what: 'A flow with a child of another living parent, or below a parent that no longer waits for children, is refused whole. BullMQ adds the rest: a parent then waits for ever, or children report to a parent that has ended.',
    why: 'A parent never waits for a child that cannot come.',
  },
  'counter-skips-existing': {
    peers: BOTH,
    what: 'A number under which a job is stored already is passed over. BullMQ overwrites that job and enqueues its id twice.',
    why: 'Foreign writers and restored backups leave such jobs; none may be lost.',
  },
  'opts-plain-json': {
    peers: BOTH,
    what: 'Options are the producer’s JSON, written once. BullMQ’s pass through Lua: empty arrays become objects, nulls vanish, numbers keep 14 digits.',
    why: 'What was given is what is read; every reader parses JSON.',
  },
  'ghost-dropped': {
    peers: BOTH,
    what: 'An id without a job is dropped and counted in `meta:counters:1`. BullMQ activates it under an empty name (and skips only markers of old releases, uncounted).',
    why: 'Nothing can be run; operators should know.',
  },
  'corrupt-job-failed': {
    peers: BOTH,
    what: 'A job without a name is failed with a reason, and the next is fetched. BullMQ hands it out.',
    why: 'One corrupt job stops nobody.',
  },
  'queue-limit-whole': {
    peers: BOTH,
    what: 'Where a queue has a rate limit, its maximum and its duration hold. BullMQ takes the queue’s maximum with the duration of the worker’s own limiter, if that has one.',
    why: 'A maximum of one and a duration of another is a limit that nobody has set.',
  },
  'manual-limit': {
    peers: BOTH,
    what: 'A manual rate limit holds for every worker. BullMQ’s workers without a limiter of their own ignore it.',
    why: 'Whoever limits a queue means all of it.',
  },
  'deferred-failure-at-fetch': {
    peers: BOTH,
    what: 'A job that must fail (`defa`) is failed by the fetch that meets it, whole, and the fetch goes on. BullMQ activates it once more, and its worker fails it.',
    why: 'No lock, no attempt started, no round trip for a job that does not run; workers in other languages need not know the rule.',
  },
  'stall-limit-in-sweep': {
    peers: BOTH,
    what: 'A job over the stall limit is failed by the sweep itself, with all effects of a final failure. BullMQ puts it back to wait with `defa`.',
    why: 'It ends also where no worker is left to fetch it.',
  },
  'stalled-run-named': {
    peers: BOTH,
    what: 'A sweep that counts a stall notes the run of which it was, in the field `echomq.stalled`. BullMQ counts alone.',
    why: 'A gateway that stood still takes back the stall of a run that no worker had begun, whoever runs the job meanwhile.',
  },
  'freed-slot-wakes': {
    peers: BOTH,
    what: 'A job that leaves `active` without a successor writes the marker when others wait under a global concurrency. BullMQ does not.',
    why: 'A freed slot is noticed at once instead of at the next poll (4.7 s were measured).',
  },
  'marker-where-work-waits': {
    peers: BOTH,
    what: 'Giving back a prioritized job, and moving one to the front of its class, write the marker. BullMQ forgets it there.',
    why: 'A sleeping worker learns of work at once.',
  },
  'due-marker-beside-fetch': {
    peers: BOTH,
    what: 'A failure that is retried later writes the marker of the next due time even when the same step fetches a job. BullMQ leaves it out then.',
    why: 'One script decides and fetches; the worker that got the job may die with the knowledge of when the next is due.',
  },
  'events-limit-not-written': {
    peers: BOTH,
    what: 'The default limit of the event stream is written to `meta` by the first trimmed event. BullMQ writes it in each script that reads it.',
    why: 'The default is known; a plain finish needs no write for it.',
  },
  'trimming-bounded': {
    peers: BOTH,
    what: 'One finish trims at most 1,000 jobs of a finished set. BullMQ trims all at once.',
    why: 'Setting a limit on a queue of millions does not stop Redis; the next finishes go on.',
  },
  'parent-goes-on': {
    peers: BOTH,
    what: 'A parent whose last child is drained or cleaned away goes on, and the stream says so. BullMQ deletes it silently in the same queue, and moves it without an event in another.',
    why: 'Nobody asked for the parent’s end.',
  },
  'bulk-keeps-priority': {
    peers: BOTH,
    what: 'Bulk retry and promotion put a job where its priority says, and clear the delay of a promoted one. BullMQ puts all into `wait` and leaves the delay.',
    why: 'A bulk call should do what the single call does.',
  },
  'clean-of-nothing-is-silent': {
    peers: BOTH,
    what: 'A clean that removed nothing writes no event. BullMQ writes `cleaned count=0`.',
    why: 'Nothing has happened.',
  },
  'clean-compares-numbers': {
    peers: BOTH,
    what: 'Clean compares times as numbers. BullMQ compares them as text, so that a time with fewer digits counts as later.',
    why: 'Old is old.',
  },
  'drain-without-ghosts': {
    peers: BOTH,
    what: 'Drain with the next run of a scheduler in `wait` keeps that run and removes the others. BullMQ cuts by number: the run is lost and the id of a removed job stays.',
    why: 'The schedule goes on and no ghost is run.',
  },
  'obliterate-whole': {
    peers: BOTH,
    what: 'Obliterate leaves no key. BullMQ leaves parents that wait for children, the limiter, and deduplication ids.',
    why: 'A queue of the same name begins empty.',
  },
  'scheduler-one-run': {
    peers: BOTH,
    what: 'Setting a scheduler again while the queue is paused replaces the run that waits. BullMQ 6 looks in the wrong list and makes a second; 5 does the same for a run that a peer of release 6 or EchoMQ put into `wait`.',
    why: 'One run ahead, wherever it waits.',
  },
  'scheduler-keeps-phase': {
    peers: BOTH,
    what: 'Setting a scheduler again keeps the phase of its slots in the record. BullMQ forgets it, so that the slots move after the next downtime.',
    why: 'A deploy that writes its schedules anew changes none of them.',
  },
  'scheduler-passes-existing-run': {
    peers: BOTH,
    what: 'When the next run exists already, the scheduler moves on to it. BullMQ stays at the run that was taken, which nobody takes again.',
    why: 'The schedule does not end.',
  },
  'unknown-job-is-refused': {
    peers: BOTH,
    what: 'Removing an unknown job is refused with JOB_NOT_FOUND. BullMQ answers 1, as for a removal.',
    why: 'A misspelt id shows.',
  },
  'removal-leaves-no-mark': {
    peers: BOTH,
    what: 'Removing an active job takes it out of the set `stalled`, too.',
    why: 'A later job of the same id would begin with a stall.',
  },
  'removal-order': {
    peers: BOTH,
    what: 'A removed tree goes from the leaves to the root. BullMQ unties each job before its children, so that the events have another order.',
    why: 'The same jobs go, in one step.',
  },
  'delay-keeps-its-place': {
    peers: BOTH,
    what: 'A delay that is changed to the same due time keeps its place in that millisecond. BullMQ counts the job’s own old place and puts it one behind.',
    why: 'The old place is given up first.',
  },
  'parked-jobs-get-company': {
    peers: SIX,
    what: 'While a queue is paused and a peer of release 5 has parked jobs in `paused`, whatever comes to wait goes there too. BullMQ 6 puts it into `wait`.',
    why: 'The resume of release 5 renames `paused` over `wait`: what stood in `wait` would be lost.',
  },
  'parked-jobs-are-seen': {
    peers: SIX,
    what: 'Changing the priority of a job that a peer of release 5 parked in `paused` takes it from there. BullMQ 6 changes the field alone.',
    why: 'Both lists are read everywhere.',
  },
  'paused-jobs-stay-in-wait': {
    peers: FIVE,
    what: 'A paused queue keeps its jobs in `wait`. BullMQ 5 moves them to `paused`, adds there, looks only there while paused, and renames the list back at the end, over what stands in `wait`.',
    why: 'As BullMQ 6. A resume merges the list of release 5 instead of losing one of the two.',
  },
  'no-debounced-event': {
    peers: FIVE,
    what: 'BullMQ 5 writes `debounced` before each `deduplicated`.',
    why: 'As BullMQ 6.',
  },
  'no-next-run-field': {
    peers: FIVE,
    what: 'BullMQ 5 notes the id of the next run in the run that was taken (`nrjid`).',
    why: 'As BullMQ 6.',
  },
  'stale-owner-passed-over': {
    peers: FIVE,
    what: 'A deduplication id without a time to live whose owner is gone is taken over. In BullMQ 5 it blocks every later add.',
    why: 'As BullMQ 6.',
  },
  'reschedule-mode': {
    peers: FIVE,
    what: 'The mode `reschedule` moves a delayed owner to the new due time. BullMQ 5 does not know it.',
    why: 'As BullMQ 6.',
  },
  'orphan-gets-a-parent': {
    peers: FIVE,
    what: 'An existing job whose former parent is gone becomes the child of the new one. In BullMQ 5 the new parent does not get it.',
    why: 'As BullMQ 6.',
  },
  'flow-waits-for-all': {
    peers: FIVE,
    what: 'A flow with a child that has completed already waits for the others. BullMQ 5 releases the parent before they are added.',
    why: 'As BullMQ 6.',
  },
  'promotion-keeps-lifo': {
    peers: BOTH,
    what: 'A delayed LIFO job that becomes due, or is promoted, runs next. BullMQ puts it at the back.',
    why: 'A delay should not cost a job its other options.',
  },
  'reprocess-keeps-priority': {
    peers: FIVE,
    what: 'A finished job that runs again goes where its priority says. BullMQ 5 puts it into `wait`.',
    why: 'As BullMQ 6.',
  },
  'bulk-retry-ties-children': {
    peers: FIVE,
    what: 'A child retried in bulk is pending again for its parent. In BullMQ 5 it is not.',
    why: 'As BullMQ 6.',
  },
  'deferred-failures-are-not-limited': {
    peers: FIVE,
    what: 'A job that must fail does not count against the rate limit. In BullMQ 5 it does.',
    why: 'As BullMQ 6.',
  },
} as const satisfies Readonly<Record<string, Difference>>;

/** The name of a listed difference. */
export type DifferenceId = keyof typeof list;

/** Every difference from BullMQ that is meant. One that no case shows fails the tests, as does any other. */
export const DIFFERENCES: Readonly<Record<DifferenceId, Difference>> = list;
