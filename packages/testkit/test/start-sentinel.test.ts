import { describe, expect, it } from 'vitest';
import { startSentinel } from '../src/servers/start-sentinel.js';
import { useStarted } from '../src/servers/use-started.js';
import { eventually } from '../src/signals/eventually.js';

const group = useStarted(() => startSentinel());

describe('startSentinel', () => {
  it('leads clients to the primary, and to the next one after a failover', async () => {
    const client = group.value.connect();
    await client.set('kept', '1');
    expect(await client.config('GET', 'port')).toEqual(['port', `${group.value.primary.port}`]);
    await client.wait(1, 5_000);

    await group.value.failover();
    await eventually(async () => {
      const next = group.value.connect();
      expect(await next.config('GET', 'port')).toEqual(['port', `${group.value.replica.port}`]);
      expect(await next.get('kept')).toBe('1');
    }, 10_000);
  });
});
