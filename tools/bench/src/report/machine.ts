import { spawnSync } from 'node:child_process';
import { cpus, release, totalmem } from 'node:os';
import { findBinary } from '@echomq/local-redis';

/** What the figures were taken on. */
export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGiB: number;
  readonly kernel: string;
  readonly node: string;
  readonly redis: string;
  readonly date: string;
}

/** Describes this machine. */
export function machine(): Machine {
  const binary = findBinary();
  return {
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: cpus().length,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    kernel: release(),
    node: process.version,
    redis: binary
      ? serverName(spawnSync(binary, ['--version'], { encoding: 'utf8' }).stdout)
      : 'none',
    date: new Date().toISOString().slice(0, 10),
  };
}

/** `Redis server v=7.0.15 sha=…` says more than is asked. */
function serverName(text: string): string {
  const [, name = '', version = ''] = /^(\w+) server v=([\d.]+)/.exec(text) ?? [];
  return name === '' ? text.trim() : `${name} ${version}`;
}
