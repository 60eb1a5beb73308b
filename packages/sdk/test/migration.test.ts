import { readFileSync } from 'node:fs';
import type { Services } from '@echomq/engine';
import { describe, expect, it } from 'vitest';
import { Connection } from '../src/connection.js';
import { ServicesTransport } from '../src/embedded/services-transport.js';
import { ActiveJob, FlowProducer, Queue, QueueEvents, Worker } from '../src/index.js';
import { delivery } from './fake-server.js';

const page = readFileSync(new URL('../../../docs/migration.md', import.meta.url), 'utf8');

const nowhere = new Connection(new ServicesTransport({} as Services));
const idle = { connection: nowhere, autorun: false };
const hold = { lease: delivery('1').lease } as ConstructorParameters<typeof ActiveJob>[2];
const instances: Readonly<Record<string, object>> = {
  connection: nowhere,
  queue: new Queue('q', idle),
  job: new ActiveJob(nowhere, delivery('1'), hold),
  worker: new Worker('q', () => 1, idle),
  queueEvents: new QueueEvents('q', idle),
  flowProducer: new FlowProducer(idle),
};

/** The members that the middle column of the tables names, as `queue.add`. */
const named = page
  .split('\n')
  .filter((line) => line.startsWith('| '))
  .flatMap((line) => [...(line.split(' | ')[1] ?? '').matchAll(/\b([a-z]\w*)\.([a-z]\w*)/gi)])
  .map(([, owner = '', member = '']) => [owner, member] as const)
  .filter(([owner]) => owner in instances);

/** The members of a class that users call, those of its bases included. */
function membersOf(instance: object): string[] {
  const members = new Set<string>();
  let at = Object.getPrototypeOf(instance) as object;
  while (!Object.hasOwn(at, 'addListener') && at !== Object.prototype) {
    for (const name of Object.getOwnPropertyNames(at)) members.add(name);
    at = Object.getPrototypeOf(at) as object;
  }
  return [...members].sort();
}

/** What is public only because TypeScript has no other word for it. */
const INTERNAL = new Set([
  ...['constructor', 'tell', 'jobName', 'ref', 'replaceData'],
  ...['settled', 'wish', 'call', 'hold', 'target'],
]);

describe('docs/migration.md', () => {
  it('names members of every class', () => {
    expect(new Set(named.map(([owner]) => owner))).toEqual(new Set(Object.keys(instances)));
    expect(named.length).toBeGreaterThan(100);
  });

  it.each([...new Map(named.map((pair) => [pair.join('.'), pair])).values()])(
    '%s.%s exists',
    (owner, member) => {
      expect(member in (instances[owner] ?? {})).toBe(true);
    },
  );

  it.each(Object.entries(instances))('names all that a %s has', (owner, instance) => {
    const known = new Set(named.filter(([each]) => each === owner).map(([, member]) => member));
    const missing = membersOf(instance).filter((name) => !known.has(name) && !INTERNAL.has(name));
    expect(missing).toEqual([]);
  });
});
