import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { ScriptFault } from '@echomq/testkit';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../../../', import.meta.url));

/** Each rule of the receipts, taken out of the scripts. */
const FAULTS: readonly ScriptFault[] = [
  'noReceipt',
  'noReplay',
  'anyBody',
  'keepsAcked',
  'noExpiry',
  'noNextAgain',
  'noGuard',
  'everyCallFetches',
];

/** Runs the tests of receipts in a process of its own. Resolves with its code and the tests that went red. */
async function run(fault: string): Promise<{ code: number | null; red: string[] }> {
  const args = ['vitest', 'run', '--project', 'engine', 'packages/engine/test/receipts'];
  const env = { ...process.env, ECHOMQ_TEST_FAULT: fault, NO_COLOR: '1', VITEST: undefined };
  const child = spawn('npx', args, { cwd: root, env });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (bytes) => {
      text += bytes;
    });
  }
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  const red = text.split('\n').filter((line) => /^\s+×/.test(line));
  return { code, red: [...new Set(red.map((line) => line.trim()))] };
}

test('without a fault the tests of receipts are green', { timeout: 300_000 }, async () => {
  expect(await run('')).toEqual({ code: 0, red: [] });
});

test.each(FAULTS)('%s makes one of them red', { timeout: 300_000 }, async (fault) => {
  const { code, red } = await run(fault);
  console.log(`${fault}: ${red.length} red\n${red.join('\n')}`);
  expect(code).not.toBe(0);
  expect(red.length).toBeGreaterThan(0);
});
