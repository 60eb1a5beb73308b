import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import * as embedded from '../src/embedded/index.js';
import * as main from '../src/index.js';

const run = promisify(execFile);
const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** The modules that an entry of this package loads in a process of its own. */
async function loadedBy(entry: string): Promise<string[]> {
  const { stdout } = await run(process.execPath, [at('fixtures/loaded.mjs'), entry]);
  return JSON.parse(stdout) as string[];
}

/** Packages among the modules, by a part of their paths. */
const found = (modules: string[], pattern: RegExp) => modules.filter((url) => pattern.test(url));

describe('the entries', () => {
  it('@echomq/sdk loads gRPC and no Redis, core, Lua or engine', async () => {
    const modules = await loadedBy('@echomq/sdk');
    expect(found(modules, /grpc-js/)).not.toEqual([]);
    expect(found(modules, /ioredis|packages\/(core|engine)|\/lua\//)).toEqual([]);
  });

  it('@echomq/sdk/embedded loads no gRPC', async () => {
    const modules = await loadedBy('@echomq/sdk/embedded');
    expect(found(modules, /ioredis/)).not.toEqual([]);
    expect(found(modules, /packages\/engine/)).not.toEqual([]);
    expect(found(modules, /grpc/)).toEqual([]);
  });

  it('@echomq/sdk/otel loads OpenTelemetry, and nothing else of ours loads it', async () => {
    expect(found(await loadedBy('@echomq/sdk/otel'), /@opentelemetry\/api/)).not.toEqual([]);
    for (const entry of ['@echomq/sdk', '@echomq/sdk/embedded']) {
      expect(found(await loadedBy(entry), /opentelemetry/)).toEqual([]);
    }
  });

  it('offer the same but for the way to connect', () => {
    const names = (entry: object) =>
      Object.keys(entry).filter((name) => !/^(connect|embedded)$/.test(name));
    expect(names(embedded)).toEqual(names(main));
    expect(embedded.Worker).toBe(main.Worker);
    expect('connect' in embedded || 'embedded' in main).toBe(false);
  });

  it('know their version', () => {
    const { version } = JSON.parse(readFileSync(at('../package.json'), 'utf8')) as {
      version: string;
    };
    expect(main.SDK_VERSION).toBe(version);
  });
});
