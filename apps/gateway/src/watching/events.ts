/** A line of the log: how loud it is, and what it means for who runs the gateway. */
export interface LoggedEvent {
  readonly level: 'debug' | 'info' | 'warn' | 'error' | 'by class';
  readonly about: string;
}

const at = (level: LoggedEvent['level']) => (about: string) => ({ level, about });
const [debug, info, warn, error] = [at('debug'), at('info'), at('warn'), at('error')];

/** Every event that the gateway and its engine log, by name: a test holds it against their sources. */
export const EVENTS: Readonly<Record<string, LoggedEvent>> = {
  'gateway.starting': info('the version and the settings that count, secrets masked'),
  'gateway.listening': info('the addresses; from now on it answers'),
  'gateway.draining': info('a signal came: it takes nothing new'),
  'gateway.ended': info('all is closed; the process ends with 0'),
  'gateway.endFailed': error('it could not close in good order; the process ends with 1'),
  'loop.late': warn(
    'the event loop was later than maxLoopDelayMs: health says NOT_SERVING until it keeps up',
  ),
  'process.uncaught': error('a bug: the process ends with 1'),
  'process.unhandled': error('a bug: the process ends with 1'),
  'ready.changed': {
    level: 'by class',
    about: 'whether work can flow: info when it can, warn when it cannot',
  },
  'store.away': warn(
    'no command has gone through for 5 s, with the reason if the client knows one',
  ),
  'call.ended': debug('a call that went well, was cancelled, or came without credentials'),
  'call.failed': {
    level: 'by class',
    about:
      'a call that failed, with its request id, reason and time: error for faults of ours, warn where the store or a limit stood in the way, info for faults of the caller; at most ten a second of a kind, `leftOut` counts the others',
  },
  'callers.refused': warn('callers without good credentials, counted by reason'),
  'dashboard.changed': info(
    'who changed what through the dashboard, in which queue, of which job or scheduler',
  ),
  'dashboard.failed': {
    level: 'by class',
    about:
      'a request of the dashboard that failed, with its reason: warn for faults of ours and of the store, info for those of the caller; at most ten a second of a kind',
  },
  'dashboard.read': debug('the dashboard read something'),
  'dashboard.refused': debug('a request of the dashboard without good credentials'),
  'internal.error': error('a bug, under the id that the caller was told'),
  'rpc.failed': error(
    'the same, from the engine: what failed, under the id that the caller was told',
  ),
  'access.reloaded': info('a changed access file counts'),
  'access.bad': warn('a changed access file cannot be used; the last good one counts'),
  'keys.reloaded': info('a changed key file counts'),
  'keys.bad': warn('a changed key file cannot be used; the last good one counts'),
  'keys.unavailable': warn('the issuer does not give its keys; those known count for a day'),
  'certificate.loaded': info('the certificate, until when it lasts'),
  'certificate.endsSoon': warn('the certificate ends within a week'),
  'certificates.reloaded': info('a changed pair counts for new connections'),
  'certificates.bad': warn('a changed pair cannot be used; the last good one counts'),
  'fetch.failed': warn('the script that takes jobs failed; it is tried again'),
  'fetch.found': warn('a job whose delivery was lost with a link was found and goes back'),
  'job.corrupt': warn('a job that cannot be run, of a foreign writer; it fails for good'),
  'job.corrupt.notFailed': warn('it could not be failed; the next fetch meets it again'),
  'job.notRetried': warn('a job with attempts left failed for good: nobody knows its backoff'),
  'job.unreadable': error('a bug: a job that was taken could not be read'),
  'release.gaveUp': warn('a job could not be given back while its lock lived; the sweep will'),
  'release.failed': error('a bug: a job could not be given back'),
  'renewal.failed': warn('locks could not be renewed; tried again within half a second'),
  'promotion.failed': warn('due jobs could not be moved; tried again'),
  'sweep.stalled': warn('jobs of silent workers run again, or failed'),
  'sweep.failed': warn('a sweep failed; the next one comes at its time'),
  'sweep.searchFailed': warn('queues without a worker could not be searched for'),
  'retention.failed': warn('jobs that are older than their age could not be removed; tried again'),
  'scheduler.mended': warn('schedules without a next run got one'),
  'queue.mended': warn(
    'RepairQueue has mended what was broken in a queue: the fault, the id, what was done',
  ),
  'scheduler.legacy': warn(
    "the run of one of BullMQ's old repeatable jobs was taken, and nobody makes its next one",
  ),
  'scheduler.notContinued': warn('the next run of a schedule could not be made; the repair will'),
  'scheduler.notMended': warn('the repair of schedules failed; tried again'),
  'stream.failed': error('a bug: a report of a worker could not be carried out'),
  'stream.unsendable': error('a bug: a message for a worker could not be written'),
  'wakeups.lost': warn('the connection that waits for work broke; polls fill in'),
  'events.lost': warn('the connection that reads events broke; it reconnects'),
  'cancel.deaf': warn('cancels are not heard at once; the next renewal sees them'),
  'workers.notNoted': warn('the list of workers could not be written'),
  'marker.unusable': warn('the key that wakes workers has another type; polls fill in'),
  'queue.foreign': warn('a key looks like a queue whose name no client can use'),
  'peers.bullmq5': warn('a queue is also used by BullMQ 5'),
  'peers.mixedMajors': warn('a queue is used by several majors of BullMQ'),
  'compat.notListed': warn("the connection for BullMQ's getWorkers could not be named"),
};
