import { createHash } from 'node:crypto';

/**
 * Faults of the scripts, by name: what stands there, and what is put in its place, in each of the places. The texts are
 * those of a bundle, in which constants and keys are written out.
 */
const FAULTS = {
  /** Whoever comes with a token owns the job. */
  anyToken: [["if owner ~= token or token == '' or token == '0' then", 'if false then']],
  /** A job that ends stays in `active` too. */
  staysActive: [
    ["local left = redis.pcall('LREM', queue.active, 1, id)", 'local left = 1'],
    [
      "local left = redis.pcall('LREM', queue.active, gathered.fromOldEnd and -1 or 1, id)",
      'local left = 1',
    ],
    [
      "if redis.pcall('LREM', queue.active, gathered.fromOldEnd and '-1' or '1', id) ~= 1 then",
      'if false then',
    ],
    ["if redis.pcall('LREM', queue.active, '1', id) == 1 then", 'if true then'],
  ],
  /** The next job is handed out and stays where it waited. */
  staysWaiting: [["('RPOPLPUSH', queue.wait, queue.active)", "('LINDEX', queue.wait, -1)"]],
  /** A sweep takes jobs from those who hold them. */
  sweepsOwned: [
    [
      "if marked[id] and redis.call('EXISTS', prefix .. id .. ':lock') == 0 then",
      'if marked[id] then',
    ],
  ],
  /** A receipt is not kept. */
  noReceipt: [['storeReceipt(receipt, { 1, receipt.digest, 0, ... })', 'local _ = 1']],
  /** What was carried out before is carried out again. */
  noReplay: [
    [
      "if not ok or type(known) ~= 'table' or known[1] ~= 1 then",
      'if true then return nil elseif false then',
    ],
  ],
  /** The body of a request that comes again is not looked at. */
  anyBody: [
    ['(known and known[2] ~= receipt.digest) or (body and body ~= receipt.digest)', 'false'],
  ],
  /** What is acknowledged is kept. */
  keepsAcked: [
    ['if receipt.acked and #receipt.acked > 0 then', 'if false then'],
    ['for first = 1, #acked, 1000 do', 'for first = 1, 0 do'],
  ],
  /** A receipt in a hash lives for ever. */
  noExpiry: [
    ["redis.call('PEXPIRE', receipt.key, receipt.ttl)", 'local _ = receipt.ttl'],
    ["redis.pcall('PEXPIRE', tray.key, string.format('%.0f', tray.ttl))", 'local _ = tray.ttl'],
  ],
  /** A repeated end brings no next job. */
  noNextAgain: [['local run = id and heldJob(queue, lease)', 'local run = nil']],
  /** A job that is asked for again goes back all the same. */
  noGuard: [
    [
      'return known ~= nil and (not guard.digest or known[2] == guard.digest) and known[3] ~= guard.replays',
      'return false',
    ],
  ],
  /** Each call of a fetch takes jobs of its own. */
  everyCallFetches: [['elseif known and known[4] ~= receipt.call then', 'elseif false then']],
} as const satisfies Readonly<Record<string, readonly (readonly [string, string])[]>>;

/** A fault that can be planted. */
export type ScriptFault = keyof typeof FAULTS;

/** All of them. */
export const SCRIPT_FAULTS = Object.keys(FAULTS) as ScriptFault[];

/**
 * A script's source with a fault.
 *
 * @param place one of the fault's places alone; absent: all of them
 * @returns the source as it was where the script has none of them
 */
export function withFault(source: string, fault: ScriptFault, place?: number): string {
  const places: readonly (readonly [string, string])[] = FAULTS[fault];
  const wanted = place === undefined ? places : places.slice(place, place + 1);
  return wanted.reduce((text, [from, to]) => text.replaceAll(placed(from), () => to), source);
}

/** How many places a fault has. */
export function placesOf(fault: ScriptFault): number {
  return FAULTS[fault].length;
}

/** A bundle names functions that are rarely called as members of `RARE`. */
function placed(text: string): RegExp {
  const escaped = text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(escaped.replace(/([A-Za-z]\w*)(?=\\\()/g, '(?:RARE\\.)?$1'), 'g');
}

interface Script {
  readonly source: string;
  readonly sha: string;
}

/** The core's `Store`, through which every script goes; a parameter, for the core is tested with this package. */
interface StoreClass {
  readonly prototype: { run(script: never, keys: never, args: never): Promise<unknown> };
}

/**
 * Plants a fault in every script that this process runs, for a test that must notice it. Returns how to take it out
 * again, and whether any script that ran had the place.
 */
export function plantScriptFault(
  { prototype }: StoreClass,
  fault: ScriptFault,
): { undo(): void; readonly met: boolean } {
  const mutants = new Map<string, Script>();
  const original = prototype.run as (script: Script, ...rest: unknown[]) => Promise<unknown>;
  let met = false;
  const mutantOf = (script: Script): Script => {
    let mutant = mutants.get(script.sha);
    if (!mutant) {
      const source = withFault(script.source, fault);
      mutant = { ...script, source, sha: createHash('sha1').update(source).digest('hex') };
      mutants.set(script.sha, mutant);
      met ||= source !== script.source;
    }
    return mutant;
  };
  prototype.run = function (this: unknown, script: Script, ...rest: unknown[]) {
    return original.call(this, mutantOf(script), ...rest);
  } as never;
  return {
    undo: () => {
      prototype.run = original as never;
    },
    get met() {
      return met;
    },
  };
}
