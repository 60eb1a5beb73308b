import { moveStalledJobsToWait, QueueKeys, type RedisClient, Store } from '@echomq/core';
import { connectRedis } from '@echomq/core/ioredis';
import { DeliveredJob } from '@echomq/proto/messages';
import {
  eventually,
  type FakeClock,
  type FreshQueue,
  fakeClock,
  type TcpProxy,
  tcpProxy,
} from '@echomq/testkit';
import { Engine } from '../../src/engine.js';
import { complete, type UsedEngine } from '../use-engine.js';
import {
  beat,
  openOf,
  openWork,
  report as reportOf,
  sessionOf,
  type TestWorker,
} from '../work-link.js';
import type { Real } from './drive.js';
import { type Answer, type InHand, Violation, WINDOW, type World } from './world.js';

/** An engine that can die: its link to the store is cut before it can say anything. */
interface Mortal {
  readonly engine: Engine;
  readonly client: RedisClient;
  readonly proxy: TcpProxy;
  readonly clock: FakeClock;
}

/** Locks get this much to live, ms: one that still has it a lock's life later was not renewed. */
const MARK_MS = 10_000_000;
/** Until then a gateway may vouch for what ran on a stream that broke just before, s: `resumeMs`, and some more. */
const RESUMED_S = 15;
/** And a lock lives for so long after its last renewal, s. */
const LOCK_S = 30;

/** Two engines over one store, whose time passes when the test says so, and the worker's end of their streams. */
export class RealGateways implements Real, AsyncDisposable {
  readonly #gateways: (Mortal | undefined)[] = [];
  readonly #dead: Promise<unknown>[] = [];
  readonly #session = sessionOf(`s-${Math.random()}`);
  #stream: TestWorker | undefined;
  #at = 0;
  #seq = 0;
  #read = 0;

  private constructor(
    private readonly used: UsedEngine,
    readonly queue: FreshQueue,
  ) {}

  static async start(used: UsedEngine): Promise<RealGateways> {
    const queue = used.queue();
    // Sweeps come when the test says so.
    await queue.seed({ 'stalled-check': '1', ttls: { 'stalled-check': 600_000 } });
    const real = new RealGateways(used, queue);
    for (const at of [0, 1]) real.#gateways[at] = await real.#mortal();
    return real;
  }

  async add(jobId: string): Promise<void> {
    const { client } = this.used.redis;
    await this.queue.seed({ jobs: { [jobId]: {} } });
    await client.lpush(this.queue.key('wait'), jobId);
    await client.zadd(this.queue.key('marker'), 0, '0');
  }

  async open(
    gateway: number,
    hello: { readonly epoch: number; readonly held: readonly InHand[]; readonly acked: number },
  ): Promise<readonly string[] | 'superseded'> {
    const { epoch, held, acked: ackedThrough } = hello;
    const leases = held.map((each) => this.#job(each).lease as never);
    const terms = { worker: this.#session, epoch, held: leases, ackedThrough };
    const stream = openWork(this.#engine(gateway).engine, openOf(this.queue, terms, WINDOW));
    let end: string | undefined;
    stream.over.then(
      () => {
        end = 'ended';
      },
      (error: { reason?: string }) => {
        end = error.reason ?? 'failed';
      },
    );
    await eventually(() => {
      if (end === undefined && stream.of('opened').length === 0) throw new Error('no answer');
    });
    if (end === 'SESSION_SUPERSEDED') return 'superseded';
    if (end !== undefined) throw new Violation(`the stream ended: ${end}`);
    [this.#stream, this.#at, this.#read] = [stream, gateway, 0];
    return stream.of('opened')[0]?.adopted.map(({ leaseToken }) => leaseToken) ?? [];
  }

  async beat(held: readonly InHand[], acked: number): Promise<void> {
    const stream = this.#stream;
    if (!stream) return;
    this.#seq += 1;
    const message = beat(
      held.map((each) => this.#job(each)),
      this.#seq,
    );
    if (message.$case === 'heartbeat') message.value.ackedThrough = acked;
    stream.send(message);
    await eventually(() => {
      if (!stream.of('heartbeatAck').some(({ seq }) => seq === this.#seq))
        throw new Error('no ack');
    });
  }

  async report(held: InHand & { readonly report: number }, acked: number): Promise<Answer> {
    const stream = this.#stream;
    if (!stream) throw new Error('there is no stream');
    const before = stream.of('reportAck').length;
    stream.send(reportOf(held.report, this.#job(held), complete('1'), acked));
    const outcome = (await stream.waitFor('reportAck', before + 1)).at(-1)?.outcome;
    if (outcome?.$case !== 'result') return 'refused';
    return outcome.value.replayed ? 'stored before' : 'stored';
  }

  async cut(): Promise<void> {
    const stream = this.#stream;
    this.#stream = undefined;
    stream?.cut();
    await stream?.over.catch(() => undefined);
  }

  async crash(gateway: number): Promise<void> {
    const mortal = this.#engine(gateway);
    await mortal.proxy.stop();
    if (this.#at === gateway) await this.cut();
    this.#dead.push(this.#bury(mortal));
    this.#gateways[gateway] = await this.#mortal();
  }

  async pass(held: readonly InHand[], acked: number): Promise<void> {
    const { client } = this.used.redis;
    const active = await client.lrange(this.queue.key('active'), 0, -1);
    const locks = active.map((id) => this.queue.key(`${id}:lock`));
    // More than a lock lives, in steps in which a worker that is there says so.
    for (let second = 0; second < RESUMED_S + LOCK_S; second++) {
      if (second === RESUMED_S) for (const lock of locks) await client.pexpire(lock, MARK_MS);
      if (second % 5 === 0) await this.beat(held, acked);
      for (const mortal of this.#gateways) mortal?.clock.advance(1_000);
      if (second % 5 === 0) await this.#flush();
    }
    await this.#flush();
    for (const lock of locks) if ((await client.pttl(lock)) > MARK_MS / 2) await client.del(lock);
  }

  async sweep(): Promise<void> {
    const { client } = this.#engine(this.#at);
    const keys = new QueueKeys('bull', this.queue.name);
    const options = { maxStalledCount: 1_000, stalledInterval: 600_000, force: true };
    for (let look = 0; look < 2; look++) {
      await moveStalledJobsToWait(new Store(client), keys, options);
    }
  }

  async settle(world: World): Promise<void> {
    await eventually(async () => {
      this.#deliver(world);
      const { completed = [], active = [], wait = [], ...dump } = await this.queue.read();
      this.#deliver(world);
      const goneBack = (wait as string[]).filter((id) => world.jobs.get(id)?.at === 'active');
      for (const id of goneBack) world.returned(id);
      const places = {
        done: (completed as [string, number][]).map(([id]) => id).sort(),
        active: [...(active as string[])].sort(),
        waiting: [...(wait as string[])].sort(),
        locks: Object.entries(dump)
          .filter(([key]) => key.endsWith(':lock'))
          .sort(),
        room: 0,
      };
      const rules = {
        done: world.done().sort(),
        active: world.active().sort(),
        waiting: world.waiting().sort(),
        locks: [...world.locks].map(([id, token]) => [`${id}:lock`, token]).sort(),
        room: world.room,
      };
      const receipts = Object.entries(dump).find(([key]) => key.startsWith('meta:rcpt:'));
      const kept = Object.keys(receipts?.[1] ?? {}).map(Number);
      if (kept.length > WINDOW) throw new Violation(`${kept.length} receipts are kept`);
      const [came, expected] = [JSON.stringify(places), JSON.stringify(rules)];
      if (came !== expected) throw new Error(`the store has ${came}, and by the rules ${expected}`);
    }, 8_000);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.cut();
    for (const mortal of this.#gateways) if (mortal) this.#dead.push(this.#bury(mortal));
    await Promise.all(this.#dead);
  }

  /** Tells the world what has been delivered since. */
  #deliver(world: World): void {
    const jobs = this.#stream?.of('delivery').flatMap(({ jobs: each }) => each) ?? [];
    for (; this.#read < jobs.length; this.#read++) {
      const { jobId = '', leaseToken = '' } = jobs[this.#read]?.lease ?? {};
      world.deliver(jobId, leaseToken);
    }
  }

  #job({ jobId, token }: InHand): DeliveredJob {
    const lease = { queue: this.queue.name, jobId, leaseToken: token };
    return DeliveredJob.create({ lease });
  }

  #engine(gateway: number): Mortal {
    const mortal = this.#gateways[gateway];
    if (!mortal) throw new Error(`there is no gateway ${gateway}`);
    return mortal;
  }

  /** Until the store has carried out what was sent to it so far. */
  async #flush(): Promise<void> {
    for (const mortal of this.#gateways)
      if (mortal) await new Store(mortal.client).command('PING', []);
  }

  async #mortal(): Promise<Mortal> {
    const proxy = await tcpProxy({ path: this.used.redis.server.socketPath ?? '' });
    const client = connectRedis({ url: `redis://127.0.0.1:${proxy.port}` });
    await client.whenReady(AbortSignal.timeout(10_000));
    const clock = fakeClock(Date.now());
    const engine = new Engine({ redis: client, clock });
    engine.start();
    return { engine, client, proxy, clock };
  }

  async #bury({ engine, client, proxy, clock }: Mortal): Promise<void> {
    await proxy.stop();
    await client.close();
    const closed = engine.close();
    const hurry = setInterval(() => clock.advance(1_000), 5);
    await closed;
    clearInterval(hurry);
  }
}
