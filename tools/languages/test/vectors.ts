const MIB = 1_048_576;

const text = (json: string): Buffer => Buffer.from(json, 'utf8');

/**
 * Payloads that must go through every language byte for byte, by names that are file names. Each is JSON that a gateway
 * takes; none is as every serializer would write it.
 */
export const VECTORS: Readonly<Record<string, Buffer>> = {
  'surrogate-pair': text('"\u{1F469}\u200D\u{1F680} \u{1D11E} 世界"'),
  'surrogate-pair-escaped': text('"\\ud834\\udd1e \\u00e9"'),
  'lone-surrogate-escaped': text('"\\ud800"'),
  'surrogates-in-disorder': text('"\\udc00\\ud800 \\ud83d"'),
  'control-characters': text('"\\u0000\\u001f\\u2028\\u2029\\ufeff"'),
  'decomposed-accent': text('["e\u0301","\u00e9"]'),
  'int64-max': text('9223372036854775807'),
  'int64-min': text('-9223372036854775808'),
  'uint64-max': text('18446744073709551615'),
  'beyond-double': text('9007199254740993'),
  'float-spellings': text('[1.0,1.50,1e3,1E+3,-0,-0.0,0.1,1.7976931348623157e308,5e-324]'),
  'long-decimal': text('3.14159265358979323846264338327950288'),
  'beyond-range': text('[1e400,-1e400,1e-999999]'),
  'five-thousand-digits': text('1'.repeat(5_000)),
  null: text('null'),
  'nulls-inside': text('{"a":null,"b":[null,null]}'),
  'empty-object': text('{}'),
  'empty-list': text('[]'),
  'empty-string': text('""'),
  'blanks-and-order': text(' {"b" : 1 ,\n\t"a":2, "10":3, "9":4 } '),
  'same-key-twice': text('{"a":1,"a":2}'),
  'odd-keys': text('{"":1,"a.b":2,"c\\u0000d":{"":null},"__proto__":3}'),
  'deep-128': text(`${'['.repeat(128)}${']'.repeat(128)}`),
  'one-megabyte': text(`"${'é'.repeat(MIB / 2 - 1)}"`),
  'no-bytes': Buffer.alloc(0),
};

/** What is read of a payload: its bytes, or `{}` where there were none. */
export function readAs(written: Buffer | undefined): Buffer | undefined {
  return written?.length === 0 ? text('{}') : written;
}

/** What a legacy program may have left in the store: no UTF-8, no JSON. No gateway takes it; each must hand it out. */
export const INVALID = Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0xc3, 0x28, 0x00, 0x22, 0x80]);
