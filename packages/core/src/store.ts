import type { Script, ScriptArgs, ScriptKeys } from '@echomq/lua';
import type { CommandHead } from './command-head.js';
import { pack } from './msgpack.js';
import type { RedisArgument, RedisClient, RedisReply } from './redis-client.js';
import { rejectionOf } from './rejections.js';
import { ScriptHeads } from './script-heads.js';
import { translateStoreError } from './store-errors.js';

/** Hears how scripts and commands went, to measure them. Called in the midst of the work: quick, never throws. */
export interface StoreWatch {
  /**
   * One was answered, or failed.
   *
   * @param operation the script's name, or the command
   * @param ms from the call to the answer
   * @param reason the rejection, or the reason of the error; absent: it went through
   */
  answered(operation: string, ms: number, reason?: string): void;
  /** A part of what one was asked was refused or failed; the rest of it stands. */
  refused(operation: string, reason: string): void;
}

/**
 * Runs scripts by their SHA. The one place that knows positions of keys and arguments, and the one that falls back to
 * a script's body.
 */
export class Store {
  /** The calls that are bringing a body to a node, by node and SHA: the others wait instead of sending it again. */
  readonly #loading = new Map<string, Flight>();
  readonly #heads = new ScriptHeads();
  #calls = 0;

  /** @param watch is told of every call; without it nothing is measured. */
  constructor(
    readonly redis: RedisClient,
    readonly watch?: StoreWatch | undefined,
  ) {}

  /**
   * Runs one script: one EVALSHA. When the node does not know it (restart, SCRIPT FLUSH, failover) one call per script
   * and node carries the body, and the others follow by SHA.
   *
   * @throws StoreUnavailable, StoreFull, ContractBroken. A rejection is a reply, not an error: see the bindings.
   */
  run<S extends Script>(script: S, keys: ScriptKeys<S>, args: ScriptArgs<S>): Promise<RedisReply> {
    // No async functions where all goes well: each would cost as much again as what it does.
    try {
      const call = new Call(script, this.#heads.of(script, keys), args, ++this.#calls);
      if (this.watch) return this.#watched(call, this.watch);
      if (this.#loading.size > 0) return this.#begin(call);
      return this.#send(call).then(undefined, (error: unknown) => this.#begin(call, error));
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** Runs a call with all that may happen to it. @param refused why its first attempt has failed, if there was one */
  async #begin(call: Call, refused?: unknown): Promise<RedisReply> {
    try {
      if (refused !== undefined && !isNoScript(refused)) throw refused;
      return await this.#attempt(call, refused !== undefined);
    } catch (error) {
      throw translateStoreError(error, call.script.file);
    }
  }

  async #watched(call: Call, watch: StoreWatch): Promise<RedisReply> {
    const { name, file } = call.script;
    const asked = performance.now();
    try {
      const reply = await this.#attempt(call);
      watch.answered(name, performance.now() - asked, rejectionOf(reply));
      return reply;
    } catch (error) {
      const known = translateStoreError(error, file);
      watch.answered(name, performance.now() - asked, known.reason);
      throw known;
    }
  }

  /** Sends a plain command, with the same errors as {@link run}. */
  async command(command: string, args: readonly RedisArgument[]): Promise<RedisReply> {
    const asked = this.watch ? performance.now() : 0;
    try {
      const reply = await this.redis.send(command, args);
      this.watch?.answered(command, performance.now() - asked);
      return reply;
    } catch (error) {
      const known = translateStoreError(error, command);
      this.watch?.answered(command, performance.now() - asked, known.reason);
      throw known;
    }
  }

  /** @param refused its node has said that it does not know the script */
  async #attempt(call: Call, refused = false): Promise<RedisReply> {
    for (let turn = 0; ; turn++) {
      // Nobody overtakes those who wait for the body: calls of one script keep their order. A flush can come between a
      // load and the call that waited for it; after a few the call brings the body itself, which cannot be missed.
      const waits = turn < 3 && this.#loading.size > 0 && !(refused && turn === 0);
      if (waits) await this.#loading.get(this.#flightOf(call))?.landed(call.order);
      try {
        if (!refused || turn > 0) return await this.#send(call);
      } catch (error) {
        if (!isNoScript(error)) throw error;
      }
      const flight = this.#flightOf(call);
      if (turn >= 3 || !this.#loading.has(flight)) return this.#sendBody(call, flight);
    }
  }

  #send({ head, args }: Call): Promise<RedisReply> {
    return this.redis.send(head.command, args, head);
  }

  /** The node and the script: a body is brought to each node once. */
  #flightOf(call: Call): string {
    return `${this.redis.nodeOf(call.firstKey)} ${call.script.sha}`;
  }

  #sendBody(call: Call, flight: string): Promise<RedisReply> {
    const sent = this.redis.send('EVAL', call.byBody);
    const bringing = new Flight();
    this.#loading.set(flight, bringing);
    const land = () => {
      if (this.#loading.get(flight) === bringing) this.#loading.delete(flight);
      bringing.land();
    };
    sent.then(land, land);
    return sent;
  }
}

/** A body on its way, and the calls that wait for it. */
class Flight {
  readonly #waiting: { readonly order: number; readonly go: () => void }[] = [];

  /** Resolves once the body is there, or could not be brought; to the calls in their order. */
  landed(order: number): Promise<void> {
    return new Promise((go) => {
      this.#waiting.push({ order, go });
    });
  }

  land(): void {
    // Those that the server had refused come here later than others that were made after them.
    this.#waiting.sort((one, other) => one.order - other.order);
    for (const { go } of this.#waiting) go();
  }
}

/** One call of a script in both forms. */
class Call {
  readonly args: readonly RedisArgument[];

  constructor(
    readonly script: Script,
    readonly head: CommandHead,
    rest: object,
    /** Counts up over the calls of a store. */
    readonly order: number,
  ) {
    this.args = encode(script, head, rest);
  }

  get firstKey(): string {
    return String(this.args[2] ?? '');
  }

  get byBody(): RedisArgument[] {
    return [this.script.source, ...this.args.slice(1)];
  }
}

function isNoScript(error: unknown): boolean {
  return error instanceof Error && error.message.includes('NOSCRIPT');
}

/** SHA, key count, keys and arguments in the script's order. */
function encode(script: Script, head: CommandHead, args: object): RedisArgument[] {
  const given = args as Readonly<Record<string, unknown>>;
  const out = head.args.slice();
  for (const { name, type } of script.args) {
    const value = given[name];
    if (type === 'pack') out.push(pack(value));
    else if (type === 'flag') out.push(value === true ? '1' : '0');
    else if (type === 'strings...') out.push(...(value as readonly string[]));
    else out.push(value as RedisArgument);
  }
  return out;
}
