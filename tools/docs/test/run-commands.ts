import { execFile } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { onTestFinished } from 'vitest';
import { ROOT } from '../src/index.js';

/** Commands that come with the packages, by what the pages call them. */
const COMMANDS: Readonly<Record<string, string>> = {
  echomq: 'apps/cli/build/main.js',
  'echomq-gateway': 'apps/gateway/build/main.js',
};

/** A gateway that is started, in every way in which pages start one; those that only print are none. */
const STARTS =
  /^(node apps\/gateway\/build\/main\.js|echomq-gateway|npx @echomq\/gateway)(?!.*--(print-config|version|help))/;

/** Starts what is given, waits until it listens, and ends it in good order. */
const STARTED = `started() {
  "$@" --listen 127.0.0.1:0 >started.out 2>started.err & pid=$!
  for _ in $(seq 200); do grep -q 'listening on' started.out && break; sleep 0.1; done
  grep -q 'listening on' started.out || { cat started.err >&2; return 1; }
  kill -TERM $pid; wait $pid
}`;

/**
 * Runs commands as a user of the packages would type them, in a folder like the root of the repository. A script of
 * the root's package.json must only be there; a gateway is started, and ended once it listens.
 *
 * @param address where the gateway of the test is
 * @returns what they printed
 */
export async function runCommands(text: string, address: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'echomq-docs-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const name of readdirSync(ROOT)) symlinkSync(join(ROOT, name), join(folder, name));
  const bin = join(folder, 'bin-of-test');
  mkdirSync(bin);
  for (const [name, main] of Object.entries(COMMANDS)) {
    const script = `#!/bin/sh\nexec '${process.execPath}' '${join(ROOT, main)}' "$@"\n`;
    writeFileSync(join(bin, name), script);
    chmodSync(join(bin, name), 0o755);
  }
  writeFileSync(join(folder, 'gateway.yaml'), 'logLevel: info\n');
  const lines = text.replaceAll('/etc/echomq/', '').split('\n').flatMap(lineOf);
  const env = { ...process.env, PATH: `${bin}:${process.env.PATH}`, ECHOMQ_ADDRESS: address };
  const script = ['set -eu -o pipefail', STARTED, ...lines].join('\n');
  return (await promisify(execFile)('bash', ['-c', script], { cwd: folder, env })).stdout;
}

function lineOf(line: string): string[] {
  const script = /^npx -y pnpm@12 ([\w:]+)/.exec(line)?.[1];
  if (script !== undefined) {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    if (!(script in scripts)) throw new Error(`package.json has no script ${script}`);
    return [];
  }
  if (!STARTS.test(line)) return [line];
  return [`started ${line.replace('npx @echomq/gateway', 'echomq-gateway')}`];
}
