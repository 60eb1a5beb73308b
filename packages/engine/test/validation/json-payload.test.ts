import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../../src/limits.js';
import { jsonMembers } from '../../src/validation/json-members.js';
import { jsonPayload } from '../../src/validation/json-payload.js';
import { refusedNow } from '../use-services.js';

const rules = { limits: DEFAULT_LIMITS, empty: '{}' } as const;
const check = (bytes: Uint8Array | string) => jsonPayload(Buffer.from(bytes), 'data', rules);

/** What the platform says of the same bytes. A byte order mark is no JSON. */
function platformAccepts(bytes: Uint8Array): boolean {
  try {
    JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
    return true;
  } catch {
    return false;
  }
}

function weAccept(bytes: Uint8Array): boolean {
  try {
    check(bytes);
    return true;
  } catch {
    return false;
  }
}

/** JSON text, with bytes put in, taken out or changed. */
const mutated = fc
  .tuple(
    fc.json({ maxDepth: 4 }),
    fc.array(
      fc.record({
        at: fc.nat(400),
        kind: fc.constantFrom('put', 'take', 'change'),
        byte: fc.oneof(
          fc.constantFrom(...Buffer.from('{}[]",:\\u0+-.eE tfn/1dD8').values()),
          fc.nat(255),
        ),
      }),
      { maxLength: 3 },
    ),
  )
  .map(([json, changes]) => {
    const bytes = [...Buffer.from(json)];
    for (const { at, kind, byte } of changes) {
      const i = at % (bytes.length + 1);
      if (kind === 'put') bytes.splice(i, 0, byte);
      else if (kind === 'take') bytes.splice(i, 1);
      else bytes[i] = byte;
    }
    return Buffer.from(bytes);
  })
  .filter((bytes) => bytes.length > 0);

describe('jsonPayload', () => {
  it('accepts every JSON text, byte for byte', () => {
    fc.assert(
      fc.property(fc.json(), (json) => {
        const bytes = Buffer.from(json);
        expect(jsonPayload(bytes, 'data', rules)).toBe(bytes);
      }),
      { numRuns: 500 },
    );
  });

  it('says what JSON.parse and a strict decoder say of random bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 12 }), (bytes) => {
        expect(weAccept(bytes)).toBe(platformAccepts(bytes));
      }),
      { numRuns: 2_000 },
    );
  });

  it('says what they say of JSON with changed bytes', () => {
    fc.assert(
      fc.property(mutated, (bytes) => {
        expect(weAccept(bytes)).toBe(platformAccepts(bytes));
      }),
      { numRuns: 3_000 },
    );
  });

  it.each([
    ...['{}', '[]', '""', '0', '-0', '1e308', '1e999', '-1.5E+10', 'true', 'false', 'null'],
    ...[' \t\r\n1 \n', '"\\ud800"', '"\\u0000\\/\\b"', '{"a":1,"a":2}', '"😀 ‏שלום é"', '[[],{}]'],
  ])('takes %s', (text) => {
    expect(Buffer.from(check(text)).toString()).toBe(text);
  });

  it.each([
    ...['{', '[1,]', '{"a":1,}', '{a:1}', "'a'", '01', '1.', '.5', '+1', '1e', '- 1', 'tru', 'nul'],
    ...['NaN', 'Infinity', 'undefined', '1 2', '"', '"\\x"', '"\\u12"', '"a\nb"', '"\u0000"', '﻿{}'],
    ...['[', ',', ':', '{"a"}', '{"a":}', '[1 2]', '{"a":1 "b":2}', ']', '{]', '[}', '/**/1'],
  ])('refuses %j', (text) => {
    expect(refusedNow(() => check(text))).toEqual({ reason: 'PAYLOAD_NOT_JSON', field: 'data' });
  });

  it.each([
    ['a broken sequence', [0x22, 0xc3, 0x28, 0x22]],
    ['an overlong one', [0x22, 0xc0, 0xaf, 0x22]],
    ['a surrogate as UTF-8', [0x22, 0xed, 0xa0, 0x80, 0x22]],
    ['a character over U+10FFFF', [0x22, 0xf4, 0x90, 0x80, 0x80, 0x22]],
    ['a text cut in a character', [0x22, 0xf0, 0x9f, 0x98]],
  ])('refuses %s', (_, bytes) => {
    expect(refusedNow(() => check(Buffer.from(bytes))).reason).toBe('PAYLOAD_NOT_JSON');
  });

  it('takes 128 levels and refuses 129, without recursion', () => {
    const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
    expect(weAccept(Buffer.from(nested(128)))).toBe(true);
    expect(() => check(nested(129))).toThrow('nested deeper than 128');
    expect(() => check(nested(500_000))).toThrow('nested deeper than 128');
    expect(() => check(`${'{"a":'.repeat(128)}{}${'}'.repeat(128)}`)).toThrow('deeper than 128');
  });

  it('counts bytes, not characters, against the limit', () => {
    const limits = { maxPayloadBytes: 10, maxJsonDepth: 4 };
    const size = (text: string) => jsonPayload(Buffer.from(text), 'data', { limits, empty: '{}' });
    expect(size('"12345678"').length).toBe(10);
    expect(size('"éééé"').length).toBe(10);
    try {
      size('"ééééé"');
      expect.unreachable();
    } catch (error) {
      expect(error).toMatchObject({
        code: 'INVALID_ARGUMENT',
        reason: 'PAYLOAD_TOO_LARGE',
        metadata: { field: 'data', limitBytes: '10', actualBytes: '12' },
      });
    }
  });

  it('reads an empty payload as what its kind stands for', () => {
    expect(String(jsonPayload(Buffer.alloc(0), 'data', rules))).toBe('{}');
    expect(String(jsonPayload(undefined, 'result', { ...rules, empty: 'null' }))).toBe('null');
  });
});

describe('jsonMembers', () => {
  it('cuts an object at its top level without changing a byte', () => {
    const text = ' {"a" : [1, {"b":2}] , "\\u0062":1.0e2,"":"}"} ';
    const members = jsonMembers(Buffer.from(text), 8) ?? [];
    expect(members.map(({ key, text, value }) => [key, String(text), String(value)])).toEqual([
      ['a', '"a" : [1, {"b":2}]', '[1, {"b":2}]'],
      ['b', '"\\u0062":1.0e2', '1.0e2'],
      ['', '"":"}"', '"}"'],
    ]);
  });

  it('finds the members that JSON.parse finds', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ maxLength: 6 }), fc.jsonValue()), (object) => {
        const members = jsonMembers(Buffer.from(JSON.stringify(object)), 100) ?? [];
        const read = members.map(({ key, value }) => [key, JSON.parse(String(value))]);
        expect(read).toEqual(Object.entries(JSON.parse(JSON.stringify(object))));
      }),
      { numRuns: 300 },
    );
  });

  it.each(['[]', '1', '{', '{} x', '{"a":1} ,', '{"a" 1}', ''])('is nothing for %j', (text) => {
    expect(jsonMembers(Buffer.from(text), 8)).toBeUndefined();
  });
});
