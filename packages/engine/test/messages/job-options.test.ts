import { BackoffType, JobOptions, msToDuration, ParentFailurePolicy } from '@echomq/proto/messages';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeOptions, encodeOptions } from '../../src/messages/job-options.js';
import { frozen, refusedNow } from '../use-services.js';

const options = (part: Parameters<typeof JobOptions.fromPartial>[0]) =>
  frozen(JobOptions.fromPartial(part));
const encode = (part: Parameters<typeof JobOptions.fromPartial>[0]) =>
  String(encodeOptions(options(part), 'options'));
const decode = (text: string) => decodeOptions(Buffer.from(text));

const everything = options({
  jobId: 'order-7',
  due: { $case: 'delay', value: msToDuration(1_500) },
  priority: 3,
  attempts: 5,
  backoff: { type: BackoffType.EXPONENTIAL, delay: msToDuration(1_000), jitter: 0.25 },
  lifo: true,
  removeOnComplete: { rule: { $case: 'keep', value: { count: 100 } } },
  removeOnFail: {
    rule: { $case: 'keep', value: { age: msToDuration(3_600_000), count: 9, limit: 2 } },
  },
  keepLogs: 50,
  stackTraceLimit: 4,
  deduplication: { id: 'd', ttl: msToDuration(9_000), extend: true },
  parentFailurePolicy: ParentFailurePolicy.IGNORE,
  sizeLimit: 1_000,
  headers: { traceparent: '00-1-2-01', é: '' },
  extraOptsJson: Buffer.from('{"tm":"x"}'),
});

describe('encodeOptions', () => {
  it("writes BullMQ's names, and attempts always", () => {
    expect(encodeOptions(undefined, 'options')).toBe('{"attempts":0}');
    expect(encode({})).toBe('{"attempts":0}');
    expect(JSON.parse(String(encodeOptions(everything, 'options')))).toEqual({
      attempts: 5,
      backoff: { type: 'exponential', delay: 1_000, jitter: 0.25 },
      delay: 1_500,
      priority: 3,
      lifo: true,
      jobId: 'order-7',
      removeOnComplete: 100,
      removeOnFail: { age: 3_600, count: 9, limit: 2 },
      kl: 50,
      stackTraceLimit: 4,
      sizeLimit: 1_000,
      de: { id: 'd', ttl: 9_000, extend: true },
      idof: true,
      headers: { traceparent: '00-1-2-01', é: '' },
      tm: 'x',
    });
  });

  it.each([
    [{ rule: { $case: 'remove' as const, value: true } }, true],
    [{ rule: { $case: 'remove' as const, value: false } }, false],
    [{ rule: { $case: 'keep' as const, value: {} } }, false],
    [{ rule: { $case: 'keep' as const, value: { count: 0 } } }, 0],
    [{ rule: { $case: 'keep' as const, value: { age: msToDuration(1_500) } } }, { age: 1.5 }],
    [{}, undefined],
  ])('stores the retention %j as %j', (removeOnComplete, stored) => {
    expect(JSON.parse(encode({ removeOnComplete })).removeOnComplete).toEqual(stored);
  });

  it.each([
    [{ type: BackoffType.FIXED }, { type: 'fixed', delay: 0 }],
    [{ type: BackoffType.CUSTOM, customName: 'slow' }, { type: 'slow' }],
    [{ type: BackoffType.UNSPECIFIED }, undefined],
  ])('stores the backoff %j as %j', (backoff, stored) => {
    expect(JSON.parse(encode({ backoff })).backoff).toEqual(stored);
  });

  it('stores an instant under a name of our own', () => {
    const due = { $case: 'runAt' as const, value: new Date(1_800_000_000_000) };
    expect(encode({ due })).toBe('{"attempts":0,"runAt":1800000000000}');
  });

  it('keeps what it does not model byte for byte', () => {
    const extra = '{ "big":12345678901234567890 ,"s":"\\u00e9\\/","a":[ ],"n":null, "o":{"a":1} }';
    expect(encode({ attempts: 2, extraOptsJson: Buffer.from(extra) })).toBe(
      '{"attempts":2,"big":12345678901234567890,"s":"\\u00e9\\/","a":[ ],"n":null,"o":{"a":1}}',
    );
    expect(encode({ extraOptsJson: Buffer.from(' {} ') })).toBe('{"attempts":0}');
  });

  it('names the parent', () => {
    const text = encodeOptions(undefined, 'options', { id: '7', queue: 'bull:up' });
    expect(text).toBe('{"attempts":0,"parent":{"id":"7","queue":"bull:up"}}');
  });

  const over = { seconds: 2 ** 53, nanos: 0 };
  it.each<[string, Parameters<typeof JobOptions.fromPartial>[0], string]>([
    ['delay', { due: { $case: 'delay', value: { seconds: -1 } } }, 'delay'],
    ['delay', { due: { $case: 'delay', value: { seconds: Number.NaN } } }, 'delay'],
    ['run_at', { due: { $case: 'runAt', value: new Date(Number.NaN) } }, 'run_at'],
    ['priority', { priority: 2_097_152 }, 'priority'],
    ['priority', { priority: -1 }, 'priority'],
    ['priority', { priority: Number.NaN }, 'priority'],
    ['attempts', { attempts: 2 ** 53 }, 'attempts'],
    ['attempts', { attempts: '5' as unknown as number }, 'attempts'],
    ['backoff', { backoff: { type: 1, delay: over } }, 'backoff.delay'],
    ['backoff', { backoff: { type: 1, jitter: 1.1 } }, 'backoff.jitter'],
    ['backoff', { backoff: { type: 1, jitter: Number.NaN } }, 'backoff.jitter'],
    ['backoff', { backoff: { delay: { seconds: 1 } } }, 'backoff.type'],
    ['backoff', { backoff: { type: 99 as 1 } }, 'backoff.type'],
    ['backoff', { backoff: { type: 3 } }, 'backoff.custom_name'],
    ['backoff', { backoff: { type: 3, customName: 'fixed' } }, 'backoff.custom_name'],
    ['backoff', { backoff: { type: 1, customName: 'x' } }, 'backoff.custom_name'],
    [
      'retention',
      { removeOnFail: { rule: { $case: 'keep', value: { count: -1 } } } },
      'remove_on_fail.keep.count',
    ],
    ['deduplication', { deduplication: { id: '' } }, 'deduplication.id'],
    ['deduplication', { deduplication: { id: 'x', ttl: { seconds: 0 } } }, 'deduplication.ttl'],
    ['policy', { parentFailurePolicy: 77 as 1 }, 'parent_failure_policy'],
    ['headers', { headers: { a: '\ud800' } }, 'headers'],
    ['headers', { headers: { a: 'x'.repeat(8_193) } }, 'headers'],
    ['extra', { extraOptsJson: Buffer.from('[]') }, 'extra_opts_json'],
    ['extra', { extraOptsJson: Buffer.from('{"attempts":9}') }, 'extra_opts_json'],
    ['extra', { extraOptsJson: Buffer.from('{"de":{"id":"x"}}') }, 'extra_opts_json'],
    ['extra', { extraOptsJson: Buffer.from('{"keepLogs":1}') }, 'extra_opts_json'],
    ['extra', { extraOptsJson: Buffer.from('{"\\u0061ttempts":9}') }, 'extra_opts_json'],
    ['extra', { extraOptsJson: Buffer.from('{"x":1,"x":2}') }, 'extra_opts_json'],
    ['extra', { extraOptsJson: Buffer.from('{"x":"\\ud800"}') }, 'extra_opts_json'],
    ['extra', { extraOptsJson: Buffer.from('{"x":["\\uDfff\\ud800"]}') }, 'extra_opts_json'],
  ])('refuses a bad %s and names it', (_, part, field) => {
    const { reason, field: named } = refusedNow(() => encode(part));
    expect([reason, named]).toEqual(['INVALID_FIELD', `options.${field}`]);
  });

  it('refuses extra options that are no JSON', () => {
    expect(refusedNow(() => encode({ extraOptsJson: Buffer.from('{') })).reason).toBe(
      'PAYLOAD_NOT_JSON',
    );
  });
});

describe('decodeOptions', () => {
  it('reads back what was written', () => {
    expect(decode(String(encodeOptions(everything, 'options')))).toEqual(everything);
    const due = { $case: 'runAt' as const, value: new Date(1_800_000_000_000) };
    expect(decode(encode({ due, attempts: 1 }))).toEqual(options({ due, attempts: 1 }));
  });

  it('reads what it writes to the same text again', () => {
    const duration = fc.nat(10 ** 9).map(msToDuration);
    const retention = fc.oneof(
      fc.boolean().map((value) => ({ rule: { $case: 'remove' as const, value } })),
      fc.record({ count: fc.nat(), age: duration }).map((value) => ({
        rule: { $case: 'keep' as const, value },
      })),
    );
    const part = fc.record(
      {
        attempts: fc.nat(),
        priority: fc.nat(2_097_151),
        backoff: fc.record({ type: fc.constantFrom(1 as const, 2 as const), delay: duration }),
        removeOnComplete: retention,
        keepLogs: fc.nat(),
        headers: fc.dictionary(fc.string({ unit: 'grapheme', maxLength: 5 }), fc.string()),
        extraOptsJson: fc
          .dictionary(fc.stringMatching(/^x[a-z]{1,5}$/), fc.jsonValue({ maxDepth: 3 }))
          .map((extra) => Buffer.from(JSON.stringify(extra))),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(part, (given) => {
        const text = encode(given);
        const read = decode(text) as JobOptions;
        expect(String(encodeOptions(frozen(read), 'options'))).toBe(text);
      }),
      { numRuns: 300 },
    );
  });

  it('reads the forms of other writers', () => {
    expect(decode('{"backoff":5000,"removeOnComplete":true,"removeOnFail":3,"fpof":true}')).toEqual(
      options({
        backoff: { type: BackoffType.FIXED, delay: msToDuration(5_000) },
        removeOnComplete: { rule: { $case: 'remove', value: true } },
        removeOnFail: { rule: { $case: 'keep', value: { count: 3 } } },
        parentFailurePolicy: ParentFailurePolicy.FAIL_PARENT,
      }),
    );
    expect(decode('{"lifo":false,"fpof":false,"parent":{"id":"1","queue":"bull:q"}}')).toEqual(
      options({}),
    );
  });

  it('gives back what it does not model, and modelled options of another form, as they stand', () => {
    const odd = {
      '{"attempts":-1}': '{"attempts":-1}',
      '{"attempts" : "3", "tm":"x"}': '{"attempts" : "3","tm":"x"}',
      '{"backoff":{"type":"fixed","steps":[1]}}': '{"backoff":{"type":"fixed","steps":[1]}}',
      '{"removeOnComplete":-1,"priority":1.5}': '{"removeOnComplete":-1,"priority":1.5}',
      '{"headers":{"a":1}}': '{"headers":{"a":1}}',
      '{"delay":-5,"jobId":7}': '{"delay":-5,"jobId":7}',
      '{"repeat":{"every":1000 },"prevMillis":17,"ü":1.50}':
        '{"repeat":{"every":1000 },"prevMillis":17,"ü":1.50}',
    };
    for (const [stored, extra] of Object.entries(odd)) {
      expect(String(decode(stored)?.extraOptsJson)).toBe(extra);
    }
  });

  it.each(['', '[]', 'null', '1', '"x"', '{broken', '{} {}'])('is nothing for %j', (text) => {
    expect(decode(text)).toBeUndefined();
  });
});
