import { describe, expect, it } from 'vitest';
import { InvalidRequest } from '../src/index.js';
import { decodeJson } from '../src/payload/decode.js';
import { encodeJson, encodeResult } from '../src/payload/encode.js';

const circle: Record<string, unknown> = { name: 'a' };
circle.self = { back: circle };

/** An array nested so deep. */
const nested = (levels: number): unknown => (levels === 0 ? 1 : [nested(levels - 1)]);

describe('T103 BigInt: encodeJson', () => {
  it.each([
    ['an object', { a: 1, b: [true, null, 'ü'] }],
    ['a string', 'text'],
    ['null', null],
    ['zero', 0],
    ['a Date, as its ISO string', new Date(0)],
    ['an object with toJSON', { toJSON: () => ({ a: 1 }) }],
    ['members that are undefined, left out', { a: undefined, b: 1 }],
    ['undefined in an array, null', [undefined, 1]],
    ['a lone surrogate, escaped', '\ud800'],
    ['a Buffer, as JSON has it', Buffer.from('x')],
    ['the same object twice', [circle.name, { x: 1 }]],
    ['128 levels', nested(128)],
  ])('writes %s', (_what, value) => {
    expect(encodeJson(value, 'data').toString()).toBe(JSON.stringify(value));
  });

  it.each([
    ['a BigInt', { n: 10n }, 'data.n'],
    ['a BigInt at the root', 10n, 'data'],
    ['NaN', { list: [1, { v: Number.NaN }] }, 'data.list[1].v'],
    ['Infinity', [Number.POSITIVE_INFINITY], 'data[0]'],
    ['a Map', { 'odd key': new Map() }, 'data["odd key"]'],
    ['a Set', { s: new Set([1]) }, 'data.s'],
    ['a Promise', { p: Promise.resolve(1) }, 'data.p'],
    ['an ArrayBuffer', { b: new ArrayBuffer(1) }, 'data.b'],
    ['an invalid Date', { at: new Date(Number.NaN) }, 'data.at'],
    ['a circle', circle, 'data.self.back'],
    ['129 levels', nested(129), `data${'[0]'.repeat(128)}`],
    ['a BigInt behind toJSON', { a: { toJSON: () => ({ n: 1n }) } }, 'data.a.n'],
    ['undefined', undefined, 'data'],
    ['a function', () => {}, 'data'],
    ['a symbol', Symbol('x'), 'data'],
  ])('refuses %s and names the place', (_what, value, field) => {
    const refused = () => encodeJson(value, 'data');
    expect(refused).toThrow(InvalidRequest);
    expect(refused).toThrow(
      expect.objectContaining({ reason: 'PAYLOAD_NOT_JSON', code: 'INVALID_ARGUMENT', field }),
    );
  });

  it('takes an object that stands at two places', () => {
    const shared = { x: 1 };
    expect(encodeJson({ a: shared, b: [shared] }, 'data').toString()).toBe(
      '{"a":{"x":1},"b":[{"x":1}]}',
    );
  });

  it('refuses what throws while it is read', () => {
    const value = {
      toJSON() {
        throw new Error('no');
      },
    };
    expect(() => encodeJson(value, 'data')).toThrow(InvalidRequest);
  });
});

describe('encodeResult', () => {
  it('has nothing for undefined', () => {
    expect(encodeResult(undefined)).toHaveLength(0);
    expect(encodeResult(null).toString()).toBe('null');
  });
});

describe('decodeJson', () => {
  it('reads what was written, and nothing from nothing', () => {
    expect(decodeJson(Buffer.from('{"a":[1]}'), 'data')).toEqual({ a: [1] });
    expect(decodeJson(Buffer.alloc(0), 'data')).toBeUndefined();
  });

  it('says that bytes are no JSON', () => {
    expect(() => decodeJson(Buffer.from('{'), 'data')).toThrow(
      expect.objectContaining({ reason: 'PAYLOAD_NOT_JSON' }),
    );
  });
});
