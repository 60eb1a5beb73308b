import { createInterface } from 'node:readline/promises';
import { Interrupted, UsageError } from '../exit/report-error.js';
import type { Terminal } from './terminal.js';

/**
 * Has somebody say yes before something is lost. Where nobody can answer, `--yes` must have been said.
 *
 * @throws UsageError where it was not
 * @throws Interrupted at Ctrl-C, and where the input ends
 */
export async function confirm(terminal: Terminal, question: string, yes: boolean): Promise<void> {
  if (yes) return;
  if (!terminal.isAttended) throw new UsageError(`${question}: say --yes`);
  const asked = createInterface({ input: terminal.stdin, output: terminal.stderr });
  const over = new Promise<undefined>((resolve) => {
    asked.once('SIGINT', () => resolve(undefined));
    asked.once('close', () => resolve(undefined));
  });
  try {
    const answer = await Promise.race([asked.question(`${question}? [y/N] `), over]);
    if (answer === undefined) throw new Interrupted('nothing was done');
    if (/^y(es)?$/i.test(answer.trim())) return;
    throw new UsageError('nothing was done');
  } finally {
    asked.close();
  }
}
