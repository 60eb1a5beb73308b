import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { findBinary, startLocalRedis } from '@echomq/local-redis';
import type { Step } from './steps.js';

/** The command-line client beside the server that is found, or on the PATH; `undefined` when there is none. */
export function findClient(): string | undefined {
  const server = findBinary();
  const folders = [
    ...(server === undefined ? [] : [dirname(server)]),
    ...(process.env.PATH ?? '').split(delimiter),
  ];
  const paths = folders.flatMap((folder) =>
    ['redis-cli', 'valkey-cli'].map((name) => join(folder, name)),
  );
  return paths.find((path) => existsSync(path));
}

/**
 * Plays the steps against a private server of its own, in one shell whose working directory is `root`.
 *
 * @returns the document
 * @throws Error when a command fails, or there is no client
 */
export async function playSession(root: string, steps: readonly Step[]): Promise<string> {
  const client = findClient();
  if (client === undefined) throw new Error('there is no redis-cli and no valkey-cli');
  await using server = await startLocalRedis({ persistence: 'none', socket: true });
  const bin = mkdtempSync(join(tmpdir(), 'echomq-transcript-'));
  try {
    writeFileSync(join(bin, 'redis-cli'), wrapper(client, server.socketPath ?? ''));
    chmodSync(join(bin, 'redis-cli'), 0o755);
    const path = [bin, process.env.PATH].join(delimiter);
    const printed = execFileSync('sh', ['-e'], {
      cwd: root,
      input: scriptOf(steps),
      env: { ...process.env, PATH: path, LC_ALL: 'C' },
      encoding: 'utf8',
    });
    return documentOf(steps, printed.split(MARK).slice(1));
  } finally {
    rmSync(bin, { recursive: true });
  }
}

/** Stands before what each command prints. */
const MARK = '\u001e';

/** What a user sees on a terminal, where redis-cli formats its replies, though nobody looks on here. */
function wrapper(client: string, socket: string): string {
  return [
    '#!/bin/sh',
    'form=--no-raw',
    'case "$1" in -x | --raw) form=--raw ;; esac',
    `exec '${client}' -s '${socket}' $form "$@"`,
    '',
  ].join('\n');
}

function scriptOf(steps: readonly Step[]): string {
  return steps
    .flatMap((step) => ('run' in step ? [`printf '\\036'`, step.run] : []))
    .map((line) => `${line}\n`)
    .join('');
}

function documentOf(steps: readonly Step[], printed: readonly string[]): string {
  const blocks: string[] = [];
  let session: string[] = [];
  const outputs = printed.values();
  const close = () => {
    if (session.length > 0) blocks.push(['```console', ...session, '```'].join('\n'));
    session = [];
  };
  for (const step of steps) {
    if ('say' in step) {
      close();
      blocks.push(step.say);
      continue;
    }
    const output = (outputs.next().value ?? '').trimEnd();
    session.push(`$ ${step.run}`, ...(output === '' ? [] : [withoutStreamIds(output)]));
  }
  close();
  return `${blocks.join('\n\n')}\n`;
}

/** Redis makes these ids from its clock. */
function withoutStreamIds(output: string): string {
  let count = 0;
  return output.replace(/"\d{13}-\d+"/g, () => `"<id ${++count}>"`);
}
