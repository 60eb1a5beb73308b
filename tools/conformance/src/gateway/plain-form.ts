import type { HeldJob, WorkHeartbeat, WorkRequest } from '@echomq/proto/messages';

/**
 * What one stream says, in the form that cases and rules look at: single reports, and heartbeats that name all that is held.
 * A worker may say it shorter where the gateway reads that: several reports to a message, with a heartbeat at their end,
 * and heartbeats that only add.
 */
export class PlainForm {
  /** What the heartbeats so far have named, by token. */
  #named = new Map<string, HeldJob>();

  /** @param isHeld whether a job of that token was delivered and has not ended */
  constructor(private readonly isHeld: (leaseToken: string) => boolean) {}

  /** The messages that this one stands for, in order. */
  of(request: WorkRequest): readonly WorkRequest[] {
    const { message } = request;
    if (message?.$case === 'reports') {
      const { reports, heartbeat } = message.value;
      const each = reports.map((value): WorkRequest => ({ message: { $case: 'report', value } }));
      if (!heartbeat) return each;
      return [...each, ...this.of({ message: { $case: 'heartbeat', value: heartbeat } })];
    }
    if (message?.$case !== 'heartbeat') return [request];
    return [{ message: { $case: 'heartbeat', value: this.#whole(message.value) } }];
  }

  #whole(heartbeat: WorkHeartbeat): WorkHeartbeat {
    const { holdings } = heartbeat;
    if (holdings?.$case !== 'held' && holdings?.$case !== 'more') return heartbeat;
    const before = holdings.$case === 'held' ? [] : [...this.#named.values()];
    const held = before.filter(({ leaseToken }) => this.isHeld(leaseToken));
    this.#named = new Map([...held, ...holdings.value.jobs].map((job) => [job.leaseToken, job]));
    if (holdings.$case === 'held') return heartbeat;
    return {
      ...heartbeat,
      holdings: { $case: 'held', value: { jobs: [...this.#named.values()] } },
    };
  }
}
