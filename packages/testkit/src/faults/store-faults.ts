import type { Redis } from 'ioredis';

/** What can be done to a store from within, over a client of one's own. */
export interface StoreFaults {
  /** Forgets all scripts. */
  flushScripts(): Promise<void>;
  /** Breaks all connections but this client's. @returns how many */
  killClients(): Promise<number>;
  /** Holds all commands, or those that write, for so long; they are carried out afterwards. */
  pauseClients(ms: number, what?: 'ALL' | 'WRITE'): Promise<void>;
  /** Ends such a pause at once. */
  unpauseClients(): Promise<void>;
  /** Leaves so many bytes beyond what is in use now; further writes that need memory are refused. */
  fill(spareBytes?: number): Promise<void>;
  /** Gives memory without bounds again. */
  drain(): Promise<void>;
  /** Makes the server a replica of a primary that is not there: it reads on and refuses writes. */
  demote(): Promise<void>;
  /** Makes it a primary again. */
  promote(): Promise<void>;
  /** Creates or changes a user of the access control list. @param rules Redis' own, for example `~bull:*` */
  setUser(name: string, password: string, rules: readonly string[]): Promise<void>;
}

/** Faults of the server behind a client. What they leave behind ends with a private server. */
export function storeFaults(admin: Redis): StoreFaults {
  return {
    async flushScripts() {
      await admin.script('FLUSH');
    },
    killClients: async () => Number(await admin.call('CLIENT', 'KILL', 'SKIPME', 'yes')),
    async pauseClients(ms, what = 'ALL') {
      await admin.call('CLIENT', 'PAUSE', `${ms}`, what);
    },
    async unpauseClients() {
      await admin.call('CLIENT', 'UNPAUSE');
    },
    async fill(spareBytes = 0) {
      const used = Number(/used_memory:(\d+)/.exec(await admin.info('memory'))?.[1]);
      await admin.config('SET', 'maxmemory-policy', 'noeviction');
      await admin.config('SET', 'maxmemory', `${used + spareBytes}`);
    },
    async drain() {
      await admin.config('SET', 'maxmemory', '0');
    },
    async demote() {
      await admin.replicaof('127.0.0.1', 1);
    },
    async promote() {
      await admin.replicaof('NO', 'ONE');
    },
    async setUser(name, password, rules) {
      await admin.call('ACL', 'SETUSER', name, 'reset', 'on', `>${password}`, ...rules);
    },
  };
}
