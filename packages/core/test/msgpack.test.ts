import { useRedis } from '@echomq/testkit';
import { decode } from '@msgpack/msgpack';
import { describe, expect, it } from 'vitest';
import { pack } from '../src/msgpack.js';

const redis = useRedis();

/** What cmsgpack makes of a packed value, as JSON text. */
const inLua = async (value: unknown): Promise<unknown> =>
  JSON.parse(
    String(
      await redis.client.call(
        'EVAL',
        'return cjson.encode(cmsgpack.unpack(ARGV[1]))',
        0,
        pack(value),
      ),
    ),
  );

describe('pack', () => {
  it.each<{ value: unknown }>([
    { value: [0, 1, 127, 128, 255, 256, 65_535, 65_536, 2 ** 31 - 1, -1, -32, -33, -(2 ** 31)] },
    { value: [0.5, -0.25, 123_456_789_012] },
    { value: [true, false] },
    { value: ['', 'żółw 🐢', 'x'.repeat(31), 'x'.repeat(32), 'x'.repeat(70_000)] },
    { value: { a: { b: [{ c: 'd' }] } } },
    { value: Object.fromEntries(Array.from({ length: 16 }, (_, at) => [`f${at}`, at])) },
    { value: new Array(16).fill('x') },
    { value: new Array(70_000).fill(1) },
  ])('is read by Lua as it was: %#', async ({ value }) => {
    expect(await inLua(value)).toEqual(value);
    expect(decode(pack(value))).toEqual(value);
  });

  it.each([2 ** 31, 2 ** 32, 1_700_000_000_123, Number.MAX_SAFE_INTEGER, -(2 ** 31) - 1, 1e300])(
    'keeps every digit of %d',
    async (number) => {
      const script = "return string.format('%.17g', cmsgpack.unpack(ARGV[1]))";
      expect(Number(await redis.client.call('EVAL', script, 0, pack(number)))).toBe(number);
    },
  );

  it('sends bytes as a string, whatever they are', async () => {
    const bytes = Uint8Array.from({ length: 256 }, (_, at) => at);
    const script = 'return cmsgpack.unpack(ARGV[1]).data';
    expect(await redis.client.callBuffer('EVAL', script, 0, pack({ data: bytes }))).toEqual(
      Buffer.from(bytes),
    );
  });

  it('leaves absent fields out and takes null for nil', async () => {
    expect(await inLua({ a: undefined, b: 1, c: null })).toEqual({ b: 1 });
  });

  it('refuses what has no form', () => {
    expect(() => pack({ n: 10n })).toThrow(TypeError);
  });
});
