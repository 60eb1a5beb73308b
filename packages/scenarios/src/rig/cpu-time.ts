import { readFileSync } from 'node:fs';

/** The unit of /proc's times, ms: 100 ticks a second on every Linux that Node runs on. */
const TICK_MS = 10;

/** CPU time that a process has used so far, ms. Linux alone. */
export function cpuTimeMs(pid: number): number {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The second field is the program's name in parentheses and may hold anything.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}
