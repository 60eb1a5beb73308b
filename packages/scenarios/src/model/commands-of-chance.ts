import { type Command, fault, type MakeCommand } from './command.js';
import { loadReader } from './read-queue.js';

/** A lock runs out: nobody has renewed it. */
export const expire: MakeCommand = (world, { lease }): Command => {
  const { id } = world.lease(lease);
  return fault(
    () => world.store.redis.send('DEL', [world.queue.lock(id)]),
    () => world.model.locks.delete(id),
  );
};

/** A client dies: what it held it never speaks of again. */
export const crash: MakeCommand = (world, { shade }) =>
  fault(
    async () => undefined,
    () => {
      world.leases.splice(
        0,
        world.leases.length,
        ...world.leases.filter((_, at) => at % 3 !== shade % 3),
      );
    },
  );

/** A client that waits takes the marker. */
export const wake: MakeCommand = (world) => {
  let popped: unknown[] = [];
  return fault(
    async () => {
      popped = (await world.store.redis.send('ZPOPMIN', [world.queue.marker])) as unknown[];
    },
    () => {
      if (popped.length > 0) world.attention.awake = true;
    },
  );
};

/** The time of a deduplication id is over. */
export const idExpires: MakeCommand = (world, { shade }) => {
  const id = ['d', 'e'][shade % 2] ?? 'd';
  const expires = world.model.owners.get(id)?.expires ?? false;
  return fault(
    async () => expires && world.store.redis.send('DEL', [world.queue.deduplication(id)]),
    () => expires && world.model.owners.delete(id),
  );
};

/** The window of the rate limit is over; whoever was told of it looks again. */
export const windowEnds: MakeCommand = (world) =>
  fault(
    () => world.store.redis.send('DEL', [world.queue.limiter]),
    () => {
      world.model.limiter = undefined;
      if (world.attention.toldLimited) world.attention.awake = true;
      world.attention.toldLimited = false;
    },
  );

/** The interval of the sweeps is over. */
export const intervalEnds: MakeCommand = (world) =>
  fault(
    () => world.store.redis.send('DEL', [world.queue.stalledCheck]),
    () => {
      world.model.swept = false;
    },
  );

/** The server forgets the scripts: the next calls bring them again. */
export const flush: MakeCommand = (world, { shade }) =>
  fault(
    async () => {
      // Not each time: a server that must learn all of them again is slow.
      if (shade % 6 !== 0) return;
      await world.store.redis.send('SCRIPT', ['FLUSH']);
      await loadReader(world.store.redis);
      world.cold = true;
    },
    () => undefined,
  );
