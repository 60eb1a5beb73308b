import fc from 'fast-check';
import { type Answer, type InHand, Violation, type World } from './world.js';

/** What happens next; what cannot happen now is passed over. */
export type Step =
  | { readonly do: 'add'; readonly count: number }
  /** The worker opens a stream. `stale`: with the epoch of an earlier one. */
  | { readonly do: 'open'; readonly gateway: number; readonly stale: boolean }
  | { readonly do: 'beat' }
  /** It reports the end of a run. `lost`: the answer never comes, for the link breaks or the gateway dies. */
  | { readonly do: 'report'; readonly at: number; readonly lost: 'no' | 'before' | 'cut' | 'crash' }
  | { readonly do: 'cut' }
  | { readonly do: 'crash'; readonly gateway: number }
  | { readonly do: 'pass' }
  | { readonly do: 'sweep' };

const gateway = fc.nat(1);

/** Sequences of steps: a worker that is mostly there. */
export const STEPS: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    {
      weight: 2,
      arbitrary: fc.record({
        do: fc.constant('add' as const),
        count: fc.integer({ min: 1, max: 3 }),
      }),
    },
    {
      weight: 4,
      arbitrary: fc.record({
        do: fc.constant('open' as const),
        gateway,
        stale: fc.constant(false),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ do: fc.constant('open' as const), gateway, stale: fc.constant(true) }),
    },
    { weight: 3, arbitrary: fc.constant({ do: 'beat' } as const) },
    {
      weight: 6,
      arbitrary: fc.record({
        do: fc.constant('report' as const),
        at: fc.nat(1),
        lost: fc.constantFrom('no', 'no', 'before', 'cut', 'crash'),
      }),
    },
    { weight: 1, arbitrary: fc.constant({ do: 'cut' } as const) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('crash' as const), gateway }) },
    { weight: 1, arbitrary: fc.constant({ do: 'pass' } as const) },
    { weight: 1, arbitrary: fc.constant({ do: 'sweep' } as const) },
  ),
  { minLength: 5, maxLength: 25 },
) as fc.Arbitrary<Step[]>;

/** Real gateways over a real store, that do the same and say what came of it. */
export interface Real {
  add(jobId: string): Promise<void>;
  /** Tokens that were adopted, or `superseded`. */
  open(
    gateway: number,
    hello: { readonly epoch: number; readonly held: readonly InHand[]; readonly acked: number },
  ): Promise<readonly string[] | 'superseded'>;
  beat(held: readonly InHand[], acked: number): Promise<void>;
  report(report: InHand & { readonly report: number }, acked: number): Promise<Answer>;
  cut(): Promise<void>;
  crash(gateway: number): Promise<void>;
  pass(held: readonly InHand[], acked: number): Promise<void>;
  sweep(): Promise<void>;
  /** Waits until the gateways rest, tells the world what was delivered, and compares the store with it. */
  settle(world: World): Promise<void>;
}

/** Lets a sequence happen in the world, and in reality if there is one, to its good end: all jobs done. */
export async function drive(steps: readonly Step[], world: World, real?: Real): Promise<void> {
  const driver = new Driver(world, real);
  for (const step of steps) await driver.step(step);
  await driver.toTheEnd();
}

class Driver {
  #added = 0;
  #tokens = 0;

  constructor(
    private readonly world: World,
    private readonly real: Real | undefined,
  ) {}

  async step(step: Step): Promise<void> {
    const { world } = this;
    if (step.do === 'add') await this.#add(step.count);
    else if (step.do === 'open') await this.#open(step.gateway, step.stale);
    else if (step.do === 'beat') await this.#beat();
    else if (step.do === 'report') await this.#report(step.at, step.lost);
    else if (step.do === 'cut') await this.#cut();
    else if (step.do === 'crash') await this.#crash(step.gateway);
    else if (step.do === 'pass') {
      world.pass();
      await this.real?.pass(this.#held(), world.acked);
    } else {
      world.sweep();
      await this.real?.sweep();
    }
    await this.#settle();
  }

  /** The worker comes back, time passes, and all that there is gets done. */
  async toTheEnd(): Promise<void> {
    const { world } = this;
    await this.step({ do: 'pass' });
    await this.step({ do: 'sweep' });
    await this.step({ do: 'open', gateway: 0, stale: false });
    for (let left = 100; world.done().length < world.jobs.size; left--) {
      if (left === 0) throw new Violation(`never done: ${JSON.stringify([...world.jobs])}`);
      await this.step({ do: 'beat' });
      await this.step({ do: 'report', at: 0, lost: 'no' });
    }
    await this.step({ do: 'beat' });
    if (world.receipts.size > 0) throw new Violation('receipts are left');
  }

  #held(): InHand[] {
    return [...this.world.hands.values()];
  }

  async #add(count: number): Promise<void> {
    for (let left = count; left > 0; left--) {
      const jobId = `j${++this.#added}`;
      this.world.add(jobId);
      await this.real?.add(jobId);
    }
  }

  async #open(gateway: number, stale: boolean): Promise<void> {
    const { world, real } = this;
    const epoch = stale ? Math.max(0, world.epoch - 1) : world.epoch + 1;
    // Which epochs have been is known where the session is: elsewhere a stale one is as good as a new one.
    const knows = world.gateways[gateway];
    if (stale && !knows) return;
    const refused = knows && (epoch < knows.epoch || (knows.open && epoch === knows.epoch));
    if (!refused) await this.#cut();
    await this.#settle();
    const hello = { epoch, held: this.#held(), acked: world.acked };
    const expected = world.open(gateway, epoch);
    const came = await real?.open(gateway, hello);
    if (came !== undefined) same('what is adopted', came, expected);
    if (expected === 'superseded') return;
    await this.#settle();
    // What has no answer yet is reported again, unchanged.
    for (const held of this.#held()) {
      if (held.report !== undefined) await this.#send({ ...held, report: held.report }, 'no');
    }
  }

  async #beat(): Promise<void> {
    if (this.world.connected === undefined) return;
    this.world.beat();
    await this.real?.beat(this.#held(), this.world.acked);
  }

  async #report(at: number, lost: 'no' | 'before' | 'cut' | 'crash'): Promise<void> {
    const held = this.#held().filter(({ report }) => report === undefined)[at];
    if (!held || this.world.connected === undefined) return;
    const report = this.world.begin(held.token);
    await this.#send({ ...held, report }, lost);
  }

  async #send(
    held: InHand & { readonly report: number },
    lost: 'no' | 'before' | 'cut' | 'crash',
  ): Promise<void> {
    const { world, real } = this;
    if (lost === 'before') return this.#cut();
    const { jobId, token, report } = held;
    const acked = world.acked;
    const expected = world.report(report, jobId, token);
    const came = await real?.report(held, acked);
    if (came !== undefined) same(`the answer to report ${report}`, came, expected);
    if (lost === 'no') {
      world.answered(report, token);
      return;
    }
    // The next job may have come with the end.
    await this.#settle();
    if (lost === 'cut') await this.#cut();
    else if (world.connected !== undefined) await this.#crash(world.connected);
  }

  async #cut(): Promise<void> {
    if (this.world.connected === undefined) return;
    this.world.cut();
    await this.real?.cut();
  }

  async #crash(gateway: number): Promise<void> {
    this.world.crash(gateway);
    await this.real?.crash(gateway);
  }

  async #settle(): Promise<void> {
    const { world, real } = this;
    if (real) await real.settle(world);
    else while (world.room > 0) world.deliver(world.waiting()[0] ?? '', `t${++this.#tokens}`);
    world.check();
  }
}

function same(what: string, came: unknown, expected: unknown): void {
  const text = (value: unknown) => JSON.stringify(Array.isArray(value) ? [...value].sort() : value);
  if (text(came) !== text(expected)) {
    throw new Violation(`${what}: ${text(came)}, and by the rules ${text(expected)}`);
  }
}
