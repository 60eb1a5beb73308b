import type { ExitCode } from '../exit/exit-codes.js';
import { reportError } from '../exit/report-error.js';
import type { Session } from '../gateway/over-gateway.js';
import { plain } from '../output/plain.js';
import { progressBar } from '../terminal/progress-bar.js';

/** Ids from which on a bar shows how far they are. */
const MANY = 20;

/**
 * Does something to one id after the other and says what became of each. One that fails does not stop the others; the
 * exit code is that of the first that failed.
 */
export async function eachId(
  { terminal, json }: Session,
  ids: readonly string[],
  what: string,
  act: (id: string) => Promise<unknown>,
): Promise<ExitCode> {
  const bar = progressBar(terminal, { what, total: ids.length, quiet: json || ids.length < MANY });
  let code: ExitCode = 0;
  let count = 0;
  for (const id of ids) {
    try {
      await act(id);
      if (json) await terminal.out(JSON.stringify({ id, done: what }));
      else if (ids.length < MANY) await terminal.out(`${plain(id)} ${what}`);
      count += 1;
      bar.update(count);
    } catch (error) {
      const failed = reportError(error, terminal, json);
      code = code === 0 ? failed : code;
    }
  }
  bar.stop();
  if (!json && ids.length >= MANY) await terminal.out(`${count} jobs ${what}`);
  return code;
}
