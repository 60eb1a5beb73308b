import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { PROTO_DIR } from './buf.js';

/** Imports a built entry in a process of its own and returns the packages of the CommonJS modules it loaded. */
function packagesLoadedBy(entry: string): { packages: string[]; exported: number } {
  const program = `
    import { createRequire } from 'node:module';
    const entry = await import('@echomq/proto/${entry}');
    const files = Object.keys(createRequire(import.meta.url).cache);
    const names = files.map((file) => /.*node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(file)?.[1] ?? file);
    console.log(JSON.stringify({ packages: [...new Set(names)], exported: Object.keys(entry).length }));
  `;
  const run = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    cwd: PROTO_DIR,
  });
  expect(run.stderr.toString()).toBe('');
  return JSON.parse(run.stdout.toString()) as { packages: string[]; exported: number };
}

test('the messages entry loads no gRPC', () => {
  const { packages, exported } = packagesLoadedBy('messages');
  expect(exported).toBeGreaterThan(100);
  expect(packages.filter((name) => name.includes('grpc'))).toEqual([]);
});

test('the descriptors entry loads nothing', () => {
  expect(packagesLoadedBy('descriptors').packages).toEqual([]);
});

test('the services entry loads gRPC, which shows that the look works', () => {
  expect(packagesLoadedBy('services').packages).toContain('@grpc/grpc-js');
});
