import { describe, expect, it } from 'vitest';
import { startPair } from '../src/servers/start-pair.js';
import { useStarted } from '../src/servers/use-started.js';
import { eventually } from '../src/signals/eventually.js';

const pair = useStarted(() => startPair());

describe('startPair', () => {
  it('changes the primary behind its address; who stays connected is at a replica', async () => {
    const [first, second] = pair.value.servers;
    const { port } = pair.value.proxy;
    const old = first.connect({ host: '127.0.0.1', port });
    await old.set('kept', '1');
    await old.wait(1, 5_000);
    await pair.value.failover();
    expect(pair.value.primary).toBe(second);
    await expect(old.set('kept', '2')).rejects.toThrow(/READONLY/);
    const next = second.connect({ host: '127.0.0.1', port });
    expect(await next.set('after', '1')).toBe('OK');
    expect(await next.get('kept')).toBe('1');
    await eventually(async () => expect(await old.get('after')).toBe('1'), 10_000);
    await pair.value.failover();
    expect(pair.value.primary).toBe(first);
  });
});
