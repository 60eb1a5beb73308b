import { eventually } from '@echomq/testkit';
import { expect } from 'vitest';
import type { Stand } from '../errors/stand.js';
import { type OpenStream, Wire } from '../errors/wire.js';

/** As many as one connection carries, with room for what else goes over it. */
const PER_CONNECTION = 900;

/** Polls that wait on one queue. */
export interface Crowd {
  readonly queue: string;
  /** Which of them got a job, in the order in which they did. */
  readonly served: { readonly connection: number; readonly at: number; readonly job: number }[];
  /** Adds a job and resolves with how many commands Redis has seen until one got it. */
  addOne(): Promise<number>;
  leave(): Promise<void>;
}

/** Lets so many polls wait on a queue, and waits until all of them do. */
export async function crowd(stand: Stand, count: number, wait = '60s'): Promise<Crowd> {
  const queue = stand.queue().name;
  const served: Crowd['served'] = [];
  const needed = Math.ceil(count / PER_CONNECTION);
  const wires = Array.from({ length: needed }, () => new Wire(stand.gateway.address));
  // A connection that is still being made does not keep the order of its first calls.
  await Promise.all(wires.map((wire) => wire.answer('GetJobCounts', { queue })));
  const polls: OpenStream[] = [];
  for (let at = 0; at < count; at += 1) {
    const connection = Math.floor(at / PER_CONNECTION);
    const wire = wires[connection] as Wire;
    const poll = wire.open('FetchJobs', { queue, maxJobs: 1, wait });
    poll.half();
    polls.push(poll);
    void poll.first.then(() => {
      const job = Number(poll.answers[0].jobs[0].lease.jobId);
      served.push({ connection, at, job });
    });
  }
  // What comes after them on each connection has passed them: they all wait.
  await Promise.all(wires.map((wire) => wire.answer('GetJobCounts', { queue })));
  const addOne = async () => {
    const [before, had] = [await commands(stand), served.length];
    await stand.add(queue);
    await eventually(() => expect(served.length).toBeGreaterThan(had), 20_000);
    return (await commands(stand)) - before;
  };
  const leave = async () => {
    for (const poll of polls) poll.cancel();
    await Promise.all(polls.map(({ ended }) => ended));
    for (const wire of wires) wire.close();
  };
  return { queue, served, addOne, leave };
}

/** Scripts that Redis has run. */
async function commands({ redis }: Stand): Promise<number> {
  const stats = await redis.client.info('commandstats');
  return Number(/cmdstat_evalsha:calls=(\d+)/.exec(stats)?.[1] ?? 0);
}

/** Calls that arrive in one turn of the loop may join the line in another order than they were made in. */
const SLIP = 32;

/**
 * Adds so many jobs one after the other; each poll of a connection is served in its turn.
 *
 * @returns by how many places the worst one was off
 */
export async function serveAll({ served, queue }: Crowd, stand: Stand, count: number) {
  const before = served.length;
  for (let added = 0; added < count; added += 1) await stand.add(queue);
  await eventually(() => expect(served.length - before).toBe(count), 60_000);
  const off = [...new Set(served.map((one) => one.connection))].flatMap((connection) => {
    const theirs = served.filter((one) => one.connection === connection);
    const order = theirs.sort((a, b) => a.job - b.job).map(({ at }) => at);
    const first = Math.min(...order);
    return order.map((at, place) => Math.abs(at - first - place));
  });
  const worst = Math.max(...off);
  expect(worst).toBeLessThanOrEqual(SLIP);
  return worst;
}
