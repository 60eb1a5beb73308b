import { describe, expect, it } from 'vitest';
import { instruction, type Machine, planInstall } from '../src/install-server.js';

/** A machine that has the given programs. */
function machine(platform: NodeJS.Platform, isRoot: boolean, programs: string[]): Machine {
  return { platform, isRoot, can: (program) => programs.includes(program) };
}

describe('planInstall', () => {
  it('uses apt-get as root, without a system service', () => {
    const plan = planInstall(machine('linux', true, ['apt-get']));
    expect(plan).toMatchObject({ kind: 'run', command: ['sh', '-euc', expect.any(String)] });
    const script = plan.kind === 'run' ? plan.command.at(-1) : '';
    expect(script).toMatch(/apt-get .*install .*redis-server/);
    expect(script).toMatch(/policy-rc\.d/);
    expect(plan).toMatchObject({ says: expect.stringContaining('redis-server') });
  });

  it('uses sudo where it asks no password', () => {
    const plan = planInstall(machine('linux', false, ['apt-get', 'sudo']));
    expect(plan).toMatchObject({
      kind: 'run',
      command: ['sudo', '-n', 'sh', '-euc', expect.any(String)],
    });
  });

  it('uses brew on macOS', () => {
    const plan = planInstall(machine('darwin', false, ['brew']));
    expect(plan).toMatchObject({ kind: 'run', command: ['brew', 'install', 'redis'] });
  });

  it.each([
    ['not root, sudo asks a password', machine('linux', false, ['apt-get']), /sudo asks/],
    ['no package manager that it knows', machine('linux', true, []), /neither apt-get nor brew/],
    ['macOS without brew', machine('darwin', false, []), /brew is missing/],
  ])('refuses: %s', (_name, where, because) => {
    expect(planInstall(where)).toEqual({ kind: 'refuse', because: expect.stringMatching(because) });
  });

  it('says what the user can do', () => {
    const text = instruction('brew is missing');
    expect(text).toContain('brew is missing');
    expect(text).toContain('sudo apt-get install redis-server');
    expect(text).toContain('ECHOMQ_REDIS_SERVER');
  });
});
