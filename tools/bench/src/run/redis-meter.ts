import { Redis } from 'ioredis';

/** What the server has spent since it started. */
export interface RedisSpent {
  /** CPU of the server's process, µs. */
  readonly cpuUs: number;
  /** Commands, those that scripts call included. */
  readonly commands: number;
  readonly usedBytes: number;
  readonly clients: number;
}

/** Reads the figures of the private server by a connection of its own. */
export class RedisMeter {
  readonly client: Redis;

  constructor(port: number) {
    this.client = new Redis(port, '127.0.0.1');
  }

  /** One reading, at the cost of two INFO. */
  async read(): Promise<RedisSpent> {
    const [info, stats] = await Promise.all([this.client.info(), this.client.info('commandstats')]);
    const number = (name: string) => Number(new RegExp(`^${name}:([\\d.]+)`, 'm').exec(info)?.[1]);
    const calls = [...stats.matchAll(/^cmdstat_(?!info)[^:]+:calls=(\d+)/gm)];
    return {
      cpuUs: (number('used_cpu_user') + number('used_cpu_sys')) * 1e6,
      commands: calls.reduce((sum, [, count]) => sum + Number(count), 0),
      usedBytes: number('used_memory'),
      clients: number('connected_clients') - 1,
    };
  }

  close(): void {
    this.client.disconnect();
  }
}
