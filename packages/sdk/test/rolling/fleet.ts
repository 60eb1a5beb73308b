import { fileURLToPath } from 'node:url';
import { type NodeProcess, spawnNode, type TcpProxy, tcpProxy } from '@echomq/testkit';
import { onTestFinished } from 'vitest';
import type { RaceBook } from '../race-book.js';

const path = (from: string) => fileURLToPath(new URL(from, import.meta.url));
const LISTENING = /listening on \S+:(\d+)/;

/** A gateway as a process, and the port that it listens on. */
export interface FleetGateway {
  readonly process: NodeProcess;
  readonly port: number;
}

/** Gateways behind addresses that stay while they come and go, as behind a balancer. */
export class Fleet {
  readonly fronts: TcpProxy[] = [];
  readonly #gateways: FleetGateway[] = [];

  private constructor(private readonly flags: readonly string[]) {}

  /** So many gateways, each behind a front of its own. @param flags as on a gateway's command line */
  static async start(count: number, flags: readonly string[]): Promise<Fleet> {
    const fleet = new Fleet(flags);
    const gateways = await Promise.all(Array.from({ length: count }, () => fleet.#start()));
    for (const gateway of gateways) {
      fleet.#gateways.push(gateway);
      const front = await tcpProxy(gateway.port);
      onTestFinished(() => front.stop());
      fleet.fronts.push(front);
    }
    return fleet;
  }

  /**
   * Restarts one as a roll-out does: who connects anew is led to the next gateway, it is asked to end and does so in
   * its own time, and a new one takes its place. Resolves with how it ended.
   */
  async restart(at: number): Promise<{ readonly code: number | null; readonly tookMs: number }> {
    const [old, other] = [this.#gateways[at], this.#gateways[(at + 1) % this.#gateways.length]];
    const front = this.fronts[at];
    if (!old || !other || !front) throw new Error(`there is no gateway ${at}`);
    const startedAt = performance.now();
    front.retarget(other.port);
    old.process.kill('SIGTERM');
    const { code } = await old.process.exit.wait();
    const tookMs = performance.now() - startedAt;
    const next = await this.#start();
    this.#gateways[at] = next;
    front.retarget(next.port);
    return { code, tookMs };
  }

  async #start(): Promise<FleetGateway> {
    const process = await spawnNode(path('../../../../apps/gateway/build/main.js'), {
      args: ['--listen=127.0.0.1:0', ...this.flags],
      ready: LISTENING,
      readyLimitMs: 25_000,
    });
    onTestFinished(() => process.stop());
    return { process, port: Number(LISTENING.exec(process.readyLine)?.[1]) };
  }
}

/** A worker in a process of its own, whose words are noted in a book. */
export interface FleetWorker {
  readonly name: string;
  /** When each of its streams was up, ms since the epoch. */
  readonly streams: readonly number[];
  /** Reads what it has said since. */
  note(): void;
  stop(): Promise<void>;
}

/** Starts one behind a front. */
export async function fleetWorker(
  front: TcpProxy,
  queue: string,
  { name, concurrency, lockMs }: { name: string; concurrency: number; lockMs: number },
  book: RaceBook,
): Promise<FleetWorker> {
  const args = [`127.0.0.1:${front.port}`, queue, name, `${concurrency}`, `${lockMs}`];
  const child = await spawnNode(path('../fixtures/race-worker.mjs'), {
    args,
    ready: /^ready$/,
    readyLimitMs: 25_000,
  });
  onTestFinished(() => child.stop());
  const streams: number[] = [];
  let read = 0;
  return {
    name,
    streams,
    note: () => {
      for (; read < child.lines.items.length; read += 1) {
        const [what, key = '', ms] = (child.lines.items[read] ?? '').split(' ');
        if (what === 'start') book.start(key, Number(ms));
        else if (what === 'over') book.over(key, Number(ms));
        else if (what === 'complete') book.complete(key);
        else if (what === 'lost') book.lost(key);
        else if (what === 'stream') streams.push(Number(key));
      }
    },
    stop: () => child.stop(),
  };
}
