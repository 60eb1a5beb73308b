import { readdirSync, readFileSync } from 'node:fs';

/** What keeps a process busy, by kind; a request on its way to a file or a name server ends alone. */
const KINDS = new Set([
  'Timeout',
  'TCPSocketWrap',
  'TCPServerWrap',
  'PipeWrap',
  'PipeServerWrap',
  'TLSWrap',
  'UDPWrap',
  'ProcessWrap',
  'Worker',
  'MessagePort',
  'StatWatcher',
  'FSEventWrap',
]);

/** How many of each kind are open in this process, and how many child processes it has. */
export function openResources(): Map<string, number> {
  const counts = new Map<string, number>();
  for (const kind of process.getActiveResourcesInfo()) {
    if (KINDS.has(kind)) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  counts.set('child process', childProcesses());
  return counts;
}

/** Also those that do not keep this process alive. Known on Linux alone; elsewhere 0. */
function childProcesses(): number {
  try {
    const tasks = readdirSync('/proc/self/task');
    return tasks.flatMap((task) => {
      const children = readFileSync(`/proc/self/task/${task}/children`, 'utf8').trim();
      return children === '' ? [] : children.split(' ');
    }).length;
  } catch {
    return 0;
  }
}
