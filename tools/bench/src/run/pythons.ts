import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { type Toolchain, toolchain } from '@echomq/languages';
import type { ContenderName } from '../contender.js';

const PEER = fileURLToPath(new URL('../../python/peer.sh', import.meta.url));
/** The exit status of a script that has not found what it needs; what it printed says why. */
const MISSING = 3;

let peer: Toolchain | undefined;

/** The Python that a contender's worker runs in, or why there is none; `undefined` for one without. */
export function pythonOf(contender: ContenderName): Toolchain | undefined {
  if (contender === 'echomq-python') return toolchain('python');
  if (contender !== 'bullmq-python') return undefined;
  peer ??= findPeer();
  return peer;
}

function findPeer(): Toolchain {
  const { status, stdout, stderr } = spawnSync('sh', [PEER], { encoding: 'utf8' });
  if (status === 0) return { tool: stdout.trim() };
  if (status === MISSING) return { missing: stdout.trim() };
  throw new Error(`${PEER} ended with ${status}: ${stderr}`);
}
