import { readFileSync } from 'node:fs';

/** Ticks of the kernel's clock in a second, the same on every Linux that Node runs on. */
const TICKS_PER_S = 100;

/** CPU that another process has spent, µs, in steps of 10 ms; 0 where there is no /proc. */
export function cpuOf(pid: number): number {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in brackets may hold spaces: the fields are counted behind it.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return ((Number(fields[11]) + Number(fields[12])) / TICKS_PER_S) * 1e6;
  } catch {
    return 0;
  }
}

/** Resident memory of another process, bytes; 0 where there is no /proc. */
export function memoryOf(pid: number): number {
  try {
    const found = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
    return Number(found?.[1] ?? 0) * 1_024;
  } catch {
    return 0;
  }
}
