import { JobOptions } from '@echomq/proto/messages';
import { describe, expect, it } from 'vitest';
import { decodeOptions, encodeOptions } from '../../src/messages/job-options.js';

const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const stored = (options: Parameters<typeof JobOptions.fromPartial>[0]) =>
  JSON.parse(String(encodeOptions(JobOptions.fromPartial(options), 'options')));
const read = (options: object) => decodeOptions(Buffer.from(JSON.stringify(options)));

describe('the context of a trace', () => {
  it("is stored where BullMQ's telemetry has it too", () => {
    const headers = { traceparent, tracestate: 'a=1', baggage: 'user=7', other: 'x' };
    expect(stored({ headers })).toEqual({
      attempts: 0,
      headers,
      tm: JSON.stringify({ traceparent, tracestate: 'a=1', baggage: 'user=7' }),
    });
    expect(stored({ headers: { other: 'x' } })).not.toHaveProperty('tm');
  });

  it('is what the caller says it is, where it says so itself', () => {
    const extraOptsJson = Buffer.from('{"tm":"mine"}');
    expect(stored({ headers: { traceparent }, extraOptsJson })).toMatchObject({ tm: 'mine' });
  });

  it('comes back as it went', () => {
    const headers = { traceparent, tracestate: 'a=1' };
    const back = read(stored({ headers }));
    expect(back?.headers).toEqual(headers);
    expect(back?.extraOptsJson ?? []).toHaveLength(0);
  });

  it('of a BullMQ producer is in the headers; the member stays', () => {
    const tm = JSON.stringify({ traceparent, baggage: 'user=7' });
    const back = read({ attempts: 1, tm, headers: { other: 'x' } });
    expect(back?.headers).toEqual({ traceparent, baggage: 'user=7', other: 'x' });
    expect(String(back?.extraOptsJson)).toBe(JSON.stringify({ tm }));
  });

  it.each([['no JSON'], ['7'], ['null'], ['{"traceparent":7}'], [7], [{ traceparent }]])(
    'in a form that nobody knows is left alone: %j',
    (tm) => {
      expect(read({ attempts: 1, tm })?.headers).toEqual({});
    },
  );
});
