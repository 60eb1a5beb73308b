import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { format, promisify } from 'node:util';
import { skipNote, toolchain } from '@echomq/languages';
import { vi } from 'vitest';
import { type Program, ROOT } from '../src/index.js';
import { runCommands } from './run-commands.js';
import { fileOf } from './samples.js';

/** Where the gateway and the store of a program are; pages have the usual ports. */
export interface Stand {
  readonly address: string;
  readonly metrics: string;
  readonly redisUrl: string;
}

const run = promisify(execFile);

/** The text of a program with the places of the test in it. */
function placed(text: string, { address, metrics, redisUrl }: Stand): string {
  return text
    .replaceAll('127.0.0.1:50051', address)
    .replaceAll('127.0.0.1:9464', metrics)
    .replaceAll('redis://127.0.0.1:6379', redisUrl);
}

/**
 * Runs a program of a page.
 *
 * @returns what it printed; undefined where its language is not installed
 * @throws what it threw, or its exit status with all that it said
 */
export async function runProgram(program: Program, stand: Stand): Promise<string | undefined> {
  const text = placed(program.text, stand);
  if (program.language === 'ts') return runHere(program, text);
  return program.language === 'sh' ? runCommands(text, stand.address) : runPython(text);
}

/** In this process: a sample that leaves something open fails the file. */
async function runHere(program: Program, text: string): Promise<string> {
  const said: string[] = [];
  const log = vi.spyOn(console, 'log').mockImplementation((...args) => {
    said.push(`${format(...args)}\n`);
  });
  try {
    writeFileSync(fileOf(program), `${text}\nexport {};\n`);
    await import(fileOf(program));
  } finally {
    log.mockRestore();
  }
  return said.join('');
}

/** With the helper of this repository, which brings the messages. */
async function runPython(text: string): Promise<string | undefined> {
  const chain = toolchain('python');
  if ('missing' in chain) {
    console.warn(`a program of Python${skipNote(chain)}`);
    return undefined;
  }
  const env = { ...process.env, PYTHONPATH: join(ROOT, 'packages/worker-python/src') };
  return (await run(chain.tool, ['-c', text], { env })).stdout;
}
