import { createHash } from 'node:crypto';
import { type RedisArgument, type RedisClient, SCRIPTS, Store } from '../src/index.js';

/** Scripts as a test wants them, by what stands in their place. */
export type Change = (source: string) => string;

/** The lines that say whether a move is plain say no: every move goes the way of all moves. */
export const withoutPlainMoves: Change = (source) =>
  source.replace(
    /^local function plainMove\(.*\)$/m,
    (line) => `${line}\n  if true then return nil end`,
  );

/** What no plain move comes to fails. */
export const withoutRareFunctions: Change = (source) =>
  source.replace(/^setmetatable\(RARE.*$/m, (line) => `${line}\nerror('rare: ' .. name)`);

/** A store that runs changed scripts over the same client. */
export function changedStore(store: Store, change: Change): Store {
  const sources = new Map<RedisArgument, string>();
  for (const { sha, source } of Object.values(SCRIPTS)) {
    const changed = change(source);
    sources.set(sha, createHash('sha1').update(changed).digest('hex'));
    sources.set(source, changed);
  }
  const { redis } = store;
  const client: RedisClient = Object.create(redis, {
    send: {
      value: (command: string, [first, ...rest]: readonly RedisArgument[]) => {
        const script = /^EVAL/i.test(command) ? sources.get(first ?? '') : undefined;
        return redis.send(command, [script ?? first ?? '', ...rest]);
      },
    },
  });
  return new Store(client);
}
