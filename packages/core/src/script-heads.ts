import type { Script } from '@echomq/lua';
import { CommandHead } from './command-head.js';
import { QueueKeys } from './keys.js';
import type { RedisArgument } from './redis-client.js';

/** The heads of the calls of scripts: those over the keys of a queue, or over keys that are frozen, are made once. */
export class ScriptHeads {
  readonly #heads = new WeakMap<object, Map<Script, CommandHead>>();

  /** SHA, key count and keys, in the script's order. */
  of(script: Script, keys: object): CommandHead {
    // Others are put together for one call.
    if (!(keys instanceof QueueKeys || Object.isFrozen(keys))) return headOf(script, keys);
    let known = this.#heads.get(keys);
    if (!known) {
      known = new Map();
      this.#heads.set(keys, known);
    }
    let head = known.get(script);
    if (!head) {
      head = headOf(script, keys);
      known.set(script, head);
    }
    return head;
  }
}

function headOf(script: Script, keys: object): CommandHead {
  const named = keys as Readonly<Record<string, string>>;
  const args: RedisArgument[] = [script.sha, script.keys.length];
  for (const key of script.keys) args.push(named[key] as string);
  return new CommandHead('EVALSHA', args);
}
