import { fileURLToPath } from 'node:url';
import { spawnNode } from '@echomq/testkit';
import { expect, it } from 'vitest';
import { overBoth } from './places.js';

overBoth('a process', (place) => {
  it('T125 handle leak: ends by itself once all is closed', async () => {
    const script = fileURLToPath(new URL('fixtures/whole-life.mjs', import.meta.url));
    const { target } = place.connection();
    const args =
      place.kind === 'gateway'
        ? ['@echomq/sdk', target]
        : ['@echomq/sdk/embedded', place.redis.url];
    const child = await spawnNode(script, { args, ready: /^closed$/ });
    expect(await child.exit.wait()).toEqual({ code: 0, signal: null });
    expect(child.lines.items).toEqual(['closed']);
  });
});
