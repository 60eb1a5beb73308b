import { randomBytes } from 'node:crypto';
import { QueueKeys, REJECTIONS, type Store, TransitionRejected } from '@echomq/core';
import { freshQueue } from '@echomq/testkit';
import type { Redis } from 'ioredis';
import { openBullSite } from './bull-site.js';
import { lineDifference } from './line-difference.js';
import type { OracleCase, QueueNames } from './oracle-case.js';
import type { Peer } from './peers.js';
import { type SiteState, stateLines } from './state-lines.js';

/** The server that a comparison runs on. */
export interface Ground {
  readonly redis: Redis;
  readonly store: Store;
}

/** Runs a case through EchoMQ and through a release of BullMQ. Returns the lines by which they differ. */
export async function compare(ground: Ground, testCase: OracleCase, peer: Peer): Promise<string[]> {
  const ours = await onEchoMQ(ground, testCase);
  const theirs = await onBullMQ(ground, testCase, peer);
  return lineDifference(ours, theirs);
}

async function onEchoMQ({ redis, store }: Ground, testCase: OracleCase): Promise<string[]> {
  const plot = new Plot(redis);
  await plot.seed(testCase);
  const reply = await replyOf(() =>
    testCase.echomq({ store, queue: plot.keys('main'), other: plot.keys('other'), names: plot }),
  );
  return stateLines(await plot.state(reply), plot);
}

async function onBullMQ({ redis }: Ground, testCase: OracleCase, peer: Peer): Promise<string[]> {
  const plot = new Plot(redis);
  await plot.seed(testCase);
  const site = openBullSite(peer, redis, plot);
  try {
    const reply = await replyOf(() => testCase.bullmq(site));
    return stateLines(await plot.state(reply), plot);
  } finally {
    await site.close();
  }
}

/** Two queues with names that no other case has, all of one length. */
class Plot implements QueueNames {
  readonly #suffix = randomBytes(5).toString('hex');
  readonly #redis: Redis;
  readonly main = `bull:m${this.#suffix}`;
  readonly other = `bull:n${this.#suffix}`;

  constructor(redis: Redis) {
    this.#redis = redis;
  }

  keys(which: 'main' | 'other'): QueueKeys {
    return new QueueKeys('bull', this[which].slice('bull:'.length));
  }

  async seed(testCase: OracleCase): Promise<void> {
    const states = testCase.seed?.(this) ?? {};
    for (const which of ['main', 'other'] as const) {
      const state = states[which];
      if (state) await this.#queue(which).seed(state);
    }
  }

  async state(reply: unknown): Promise<SiteState> {
    const main = this.#queue('main');
    const other = this.#queue('other');
    return {
      main: await main.read(),
      other: await other.read(),
      mainTtls: await main.readTtls(),
      otherTtls: await other.readTtls(),
      reply,
    };
  }

  #queue(which: 'main' | 'other') {
    return freshQueue(this.#redis, { name: this.keys(which).name });
  }
}

/** What a call returned; a refusal as its code, which both sides have in common. */
async function replyOf(call: () => Promise<unknown>): Promise<unknown> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof TransitionRejected) return `refused ${REJECTIONS[error.reason]}`;
    const code = (error as { code?: unknown }).code;
    if (typeof code !== 'number') throw error;
    return `refused ${code}`;
  }
}
