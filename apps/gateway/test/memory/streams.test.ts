import { useRedis } from '@echomq/testkit';
import { describe, expect, it } from 'vitest';
import { besideTheDeaf } from './deaf.js';
import { floodWithProgress } from './flood.js';
import { growth, measuredGateway, openAndCancel } from './measured.js';

const redis = useRedis();
const MIB = 1_048_576;

describe('the memory of a gateway', () => {
  it('T112 stream objects leak: is the same after streams that were opened and cancelled', async () => {
    const gateway = await measuredGateway(redis);
    const queue = redis.freshQueue().name;
    await openAndCancel(gateway, queue, 400);
    const first = await gateway.measure();
    await openAndCancel(gateway, queue, 400);
    const grown = growth(first, await gateway.measure());
    expect(grown).toBeLessThan(0.1);
  }, 90_000);

  it('T111 server buffers without bound: is bounded with a subscriber and with a worker that never read, and one that never acknowledges', async () => {
    const { before, after } = await besideTheDeaf(redis, 60);
    expect(after.heapUsed + after.external - before.heapUsed - before.external).toBeLessThan(
      32 * MIB,
    );
  }, 90_000);

  it('is bounded with a worker that sends faster than a store that stands still takes', async () => {
    const gateway = await measuredGateway(redis);
    const before = await gateway.measure();
    const { mib, end } = await floodWithProgress(redis, gateway, 200);
    const after = await gateway.measure();
    await end();
    const grown = after.heapUsed + after.external - before.heapUsed - before.external;
    expect(mib).toBe(200);
    expect(grown).toBeLessThan(64 * MIB);
    const server = await gateway.wire.answer('GetServerInfo', {});
    expect(server.serverInfo.apiVersions).toEqual(['echomq.v1']);
  }, 90_000);
});
