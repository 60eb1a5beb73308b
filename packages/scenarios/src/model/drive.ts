import { SCRIPTS, type Store } from '@echomq/core';
import type { Command, MakeCommand } from './command.js';
import * as admins from './commands-of-admins.js';
import { batch } from './commands-of-batches.js';
import * as chance from './commands-of-chance.js';
import * as producers from './commands-of-producers.js';
import * as workers from './commands-of-workers.js';
import { type Lines, linesOf } from './lines.js';
import type { Op, Plan, WorldPlan } from './plan.js';
import { linesRead, loadReader, type QueueReading, readQueue } from './read-queue.js';
import { brokenRules } from './rules.js';
import { World } from './world.js';

const COMMANDS: Readonly<Record<Op, MakeCommand>> = {
  add: producers.add,
  addMany: producers.addMany,
  addBatch: producers.addBatchCommand,
  addTree: producers.addTreeCommand,
  fetch: workers.fetch,
  complete: workers.complete,
  fail: workers.fail,
  batch,
  putOff: workers.putOffCommand,
  retry: workers.retryCommand,
  giveBack: workers.giveBackCommand,
  park: workers.parkCommand,
  renew: workers.renewCommand,
  note: workers.note,
  expire: chance.expire,
  sweep: admins.sweepCommand,
  crash: chance.crash,
  wake: chance.wake,
  promote: admins.promoteCommand,
  promoteDue: admins.promoteDue,
  changeDelay: admins.changeDelayCommand,
  changePriority: admins.changePriorityCommand,
  cancel: admins.cancel,
  remove: admins.remove,
  removeUnprocessed: admins.removeUnprocessed,
  cut: admins.cut,
  reprocess: admins.reprocess,
  moveAll: admins.moveAll,
  drain: admins.drainCommand,
  clean: admins.clean,
  pause: admins.pauseCommand,
  resume: admins.resumeCommand,
  schedule: admins.schedule,
  follow: admins.followCommand,
  unschedule: admins.unscheduleCommand,
  freeId: admins.freeId,
  idExpires: chance.idExpires,
  windowEnds: chance.windowEnds,
  intervalEnds: chance.intervalEnds,
  flush: chance.flush,
};

/** Makes the command of a plan. */
export const commandOf: MakeCommand = (world, plan) => COMMANDS[plan.op](world, plan);

/** Which check found a difference. */
export type Check = 'answer' | 'state' | 'events' | 'rule' | 'error';

/** The store and the model are not of one mind, or the store breaks a rule. */
export class Difference extends Error {
  override readonly name = 'Difference';

  constructor(
    readonly check: Check,
    readonly step: number,
    readonly plan: Plan,
    what: string,
  ) {
    super(`step ${step}, ${plan.op}: ${check}: ${what}`);
  }
}

/** Teaches a server all scripts, so that none is sent behind the reading of its step. */
export async function loadScripts(store: Store): Promise<void> {
  const all = Object.values(SCRIPTS);
  await Promise.all(all.map(({ source }) => store.redis.send('SCRIPT', ['LOAD', source])));
  await loadReader(store.redis);
}

/**
 * Carries plans out, one by one, in an empty store and in a model, and compares both after each.
 *
 * @returns how many transitions there were
 * @throws Difference
 */
export async function drive(
  store: Store,
  worldPlan: WorldPlan,
  plans: readonly Plan[],
): Promise<number> {
  const world = new World(store, worldPlan);
  await store.redis.send('FLUSHALL', []);
  await world.begin();
  let transitions = 0;
  try {
    for (const [step, plan] of plans.entries()) transitions += await carryOut(world, step, plan);
  } finally {
    if (world.cold) await loadScripts(store);
  }
  return transitions;
}

async function carryOut(world: World, step: number, plan: Plan): Promise<number> {
  const { attention } = world;
  world.now += plan.dt;
  if (world.now >= attention.told) {
    attention.awake = true;
    attention.told = Number.POSITIVE_INFINITY;
  }
  const command = commandOf(world, plan);
  const tries = plan.reply === 'again' && !command.fault ? 2 : 1;
  for (let left = tries; left > 0; left--) {
    const heard = plan.reply === 'comes' || (plan.reply === 'again' && left === 1);
    await once(world, { step, plan, command }, heard);
  }
  return command.fault ? 0 : tries;
}

interface Step {
  readonly step: number;
  readonly plan: Plan;
  readonly command: Command;
}

async function once(world: World, { step, plan, command }: Step, heard: boolean): Promise<void> {
  const differs = (check: Check, what: string) => new Difference(check, step, plan, what);
  const { redis } = world.store;
  const { base } = world.queue;
  world.model.events = [];
  let answer: string;
  let reading: QueueReading;
  try {
    if (command.steps || world.cold) {
      answer = await command.real();
      reading = await readQueue(redis, base);
    } else [answer, reading] = await Promise.all([command.real(), readQueue(redis, base)]);
  } catch (error) {
    throw differs('error', String(error));
  }
  const expected = command.model(orderOf(reading));
  if (answer !== expected) throw differs('answer', `${answer} instead of ${expected}`);
  look(world, plan, command, answer);
  const state = difference(linesRead(reading, base), linesOf(world.model));
  if (state) throw differs('state', state);
  const [emitted, due] = [[...reading.events].sort(), [...world.model.events].sort()];
  if (emitted.join() !== due.join()) throw differs('events', `${emitted} instead of ${due}`);
  const broken = brokenRules(reading, world.attention);
  if (broken.length > 0) throw differs('rule', broken.join('; '));
  for (const id of world.model.jobs.keys()) world.learn(id);
  if (heard) command.learn?.(answer);
}

/** Ids in the order in which the events say that they were moved. */
const orderOf = ({ events }: QueueReading): string[] =>
  events
    .filter((event) => /^(waiting|failed) /.test(event))
    .map((event) => event.split(' ')[1] ?? '');

/** What those who look are told, and when they will look again. */
function look({ attention }: World, { op }: Plan, { looks }: Command, answer: string): void {
  if (op === 'fetch') {
    attention.awake = false;
    attention.ending = false;
  } else if (answer.includes('|') || ['retry', 'giveBack', 'park'].includes(op))
    attention.ending = true;
  if (!looks) return;
  const last = answer.split(/ \| |; /).at(-1) ?? '';
  if (last === 'limited') attention.toldLimited = true;
  const due = Number(/^idle (\d+)$/.exec(last)?.[1] ?? 0);
  if (due > 0) attention.told = Math.min(attention.told, due);
}

/** The first line that is not the same, or nothing. */
function difference(found: Lines, due: Lines): string | undefined {
  for (const name of new Set([...Object.keys(due), ...Object.keys(found)])) {
    if (found[name] !== due[name]) return `${name}: ${found[name]} instead of ${due[name]}`;
  }
  return undefined;
}
