import { hash } from 'node:crypto';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually, signal } from '@echomq/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { checkBooks, PATIENCE_MS, scaled, useRig } from '../../src/index.js';

const rig = useRig();

/** An access file whose tokens the test chooses. */
function accessFile() {
  const folder = mkdtempSync(join(tmpdir(), 'echomq-access-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'access.json');
  const acl = [{ queues: ['*'], verbs: ['produce', 'work', 'read', 'admin'] }];
  return {
    path,
    write(tokens: Readonly<Record<string, readonly string[]>>) {
      const principals = Object.entries(tokens).map(([principal, of]) => ({
        principal,
        sha256: of.map((token) => hash('sha256', token)),
        acl,
      }));
      writeFileSync(`${path}.new`, JSON.stringify({ principals }));
      renameSync(`${path}.new`, path);
    },
  };
}
const flags = (path: string) => [
  `--access-file=${path}`,
  '--reload-ms=50',
  '--auth-recheck-ms=50',
  '--auth-grace-ms=300',
];

describe('credentials that change while work runs', () => {
  it('T126 token expiry mid-run: the worker shows a new token and its result is kept', async () => {
    const queue = rig.freshQueue();
    const file = accessFile();
    const LIFE_MS = scaled(2_500, 5_000);
    file.write({ producer: ['long-lived'], worker: ['first', 'second'] });
    const gateway = await rig.another({ flags: flags(file.path) });
    let given = 0;
    const jobs = rig.queue(
      queue.name,
      rig.connection({ address: gateway.address, token: 'long-lived' }),
    );
    const { id } = await eventually(() => jobs.add('x', {}), PATIENCE_MS);
    const begun = signal('the handler');
    let old = false;
    const connection = rig.connection({
      address: gateway.address,
      token: () => {
        given += 1;
        return old ? 'second' : 'first';
      },
    });
    rig.worker(
      queue.name,
      async () => {
        begun.resolve();
        await sleep(2 * LIFE_MS);
        return 'kept';
      },
      { connection, lockDuration: scaled(5_000, 10_000) },
    );
    await begun.wait(PATIENCE_MS);
    // The first token is worth nothing from now on; streams that it opened are ended.
    old = true;
    file.write({ producer: ['long-lived'], worker: ['second'] });
    await eventually(async () => {
      const state = await queue.read();
      expect(state[id]).toMatchObject({ returnvalue: '"kept"', atm: '1' });
      expect(checkBooks(state, { accepted: [id], atRest: true })).toEqual([]);
    }, PATIENCE_MS);
    expect(given).toBeGreaterThan(1);
  });

  it('T127 transient auth refusal kills worker: a gateway that forgets it for a while has it back by itself', async () => {
    const queue = rig.freshQueue();
    const file = accessFile();
    file.write({ mine: ['mine'], other: ['other'] });
    const gateway = await rig.another({ flags: flags(file.path) });
    const at = (token: string) => rig.connection({ address: gateway.address, token });
    const told: string[] = [];
    let runs = 0;
    const worker = rig.worker(
      queue.name,
      () => {
        runs += 1;
      },
      { connection: at('mine') },
    );
    worker.on('error', (error) => told.push(error.name));
    await worker.waitUntilReady();
    file.write({ other: ['other'] });
    await eventually(() => expect(told).toContain('AccessDenied'), PATIENCE_MS);
    const jobs = rig.queue(queue.name, at('other'));
    await jobs.add('x', {});
    await sleep(scaled(1_000, 60_000));
    expect(runs).toBe(0);
    file.write({ mine: ['mine'], other: ['other'] });
    await eventually(() => expect(runs).toBe(1), PATIENCE_MS);
  });
});
