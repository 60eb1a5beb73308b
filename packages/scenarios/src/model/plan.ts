/** A command as it is drawn: numbers are places among what there is when its turn comes. JSON, so that it can be kept. */
export interface Plan {
  readonly op: Op;
  /** ms that go by before it. */
  readonly dt: number;
  /** Whose job: among the leases that clients hold or held. */
  readonly lease: number;
  /** Which job, among all that there were. */
  readonly job: number;
  /** A shade of the command; each op says which. */
  readonly shade: number;
  readonly flag: boolean;
  /** What becomes of the answer: it comes, it is lost, or it is lost and the client tries again. */
  readonly reply: 'comes' | 'lost' | 'again';
  /** Whether the request carries a receipt. */
  readonly receipt: boolean;
  /** The jobs that it adds. */
  readonly adds: readonly AddPlan[];
  /** The moves of a batch. */
  readonly moves: readonly MovePlan[];
}

/** A job to add, as it is drawn. */
export interface AddPlan {
  readonly custom: number;
  readonly priority: number;
  readonly delay: number;
  readonly lifo: boolean;
  readonly attempts: number;
  readonly backoff: number;
  readonly keep: number;
  readonly parent: number;
  readonly policy: number;
  readonly dedup: number;
}

/** A move of a batch, as it is drawn. */
export interface MovePlan {
  readonly kind: 'complete' | 'fail' | 'fetch';
  readonly lease: number;
  readonly next: boolean;
  /** The job that it takes is to wait for a slot. */
  readonly buffered: boolean;
  readonly foreign: boolean;
}

/** The queue that the commands begin with. */
export interface WorldPlan {
  readonly concurrency?: number;
  readonly max?: number;
  readonly maxJobs?: number;
  /** Its ends are not counted: then ordinary moves go the short way. */
  readonly uncounted?: boolean;
}

/** How often each command is drawn. */
export const OPS = {
  add: 14,
  addMany: 4,
  addBatch: 4,
  addTree: 5,
  fetch: 18,
  complete: 16,
  fail: 9,
  batch: 8,
  putOff: 4,
  retry: 3,
  giveBack: 4,
  park: 6,
  renew: 4,
  note: 3,
  expire: 7,
  sweep: 8,
  crash: 2,
  wake: 5,
  promote: 3,
  promoteDue: 3,
  changeDelay: 3,
  changePriority: 3,
  cancel: 4,
  remove: 3,
  removeUnprocessed: 1,
  cut: 1,
  reprocess: 3,
  moveAll: 2,
  drain: 1,
  clean: 2,
  pause: 2,
  resume: 4,
  schedule: 2,
  follow: 3,
  unschedule: 1,
  freeId: 1,
  idExpires: 2,
  windowEnds: 3,
  intervalEnds: 2,
  flush: 1,
} as const;

/** A command's name. */
export type Op = keyof typeof OPS;
