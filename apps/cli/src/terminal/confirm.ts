import { createInterface } from 'node:readline/promises';
import { UsageError } from '../exit/report-error.js';
import type { Terminal } from './terminal.js';

/**
 * Has somebody say yes before something is lost. Where nobody can answer, `--yes` must have been said.
 *
 * @throws UsageError where it was not
 */
export async function confirm(terminal: Terminal, question: string, yes: boolean): Promise<void> {
  if (yes) return;
  if (!terminal.isAttended) throw new UsageError(`${question}: say --yes`);
  const asked = createInterface({ input: terminal.stdin, output: terminal.stderr });
  try {
    const answer = await asked.question(`${question}? [y/N] `);
    if (/^y(es)?$/i.test(answer.trim())) return;
    throw new UsageError('nothing was done');
  } finally {
    asked.close();
  }
}
