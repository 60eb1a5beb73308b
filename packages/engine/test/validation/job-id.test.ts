import { describe, expect, it } from 'vitest';
import { customJobId, isKeyName, jobId } from '../../src/validation/job-id.js';
import { jobName } from '../../src/validation/job-name.js';
import { refusedNow } from '../use-services.js';

describe('customJobId', () => {
  it.each([
    'order-7',
    '007',
    '1e3',
    '-',
    '1.5',
    'a:b:c',
    'é😀',
    '00',
    '-0',
    ' x ',
    'Wait',
    'a:1:2',
  ])('takes %s', (id) => {
    expect(customJobId(id, 'options.job_id')).toBe(id);
  });

  it.each([
    ...['0', '12', '-5', '9007199254740993', '123456789012345678901234567890'],
    ...['a:b', 'a:b:c:d', ':', 'a:b:c:d:e', '0:x', '0:x:y', 'meta:x:y', 'repeat:s:1', 'de:a:b'],
    ...['wait', 'meta', 'id', 'repeat', 'events', 'stalled-check', 'lock', 'logs', 'processed'],
    ...['waiting-children', 'metrics:completed:data', 'a:b:lock', 'a:b:failed'],
    ...[' ', '\t', 'a\u0000b', 'a\nb', '\ud800', 'x'.repeat(257), 'é'.repeat(129)],
  ])('refuses %j', (id) => {
    expect(refusedNow(() => customJobId(id, 'options.job_id'))).toEqual({
      reason: 'CUSTOM_JOB_ID_INVALID',
      field: 'options.job_id',
    });
  });

  it('takes 256 bytes', () => {
    expect(customJobId('é'.repeat(128), 'options.job_id')).toHaveLength(128);
  });
});

describe('jobId', () => {
  it('takes whatever a foreign writer may have chosen', () => {
    for (const id of ['12', 'a:b', 'repeat:s:1', 'a\u0000b', '0:7', 'x'.repeat(1_024)]) {
      expect(jobId(id)).toBe(id);
    }
    for (const id of ['', 'x'.repeat(1_025), '\udc00', undefined as unknown as string]) {
      expect(refusedNow(() => jobId(id))).toEqual({ reason: 'INVALID_FIELD', field: 'job_id' });
    }
  });
});

describe('isKeyName', () => {
  it('knows the keys of a queue and of its jobs', () => {
    const keys = [
      'meta',
      'wait',
      'meta:counters:1',
      'de:x',
      '7:lock',
      '7:processed',
      'a:b:c:failed',
    ];
    expect(keys.filter((key) => !isKeyName(key))).toEqual([]);
    const jobs = ['7', 'order-7', 'a:b:c', 'repeat:s:1700000000000', 'a:b', '0:7'];
    expect(jobs.filter(isKeyName)).toEqual([]);
  });
});

describe('jobName', () => {
  it('takes 1 to 512 bytes', () => {
    expect(jobName(' ', 'name')).toBe(' ');
    expect(jobName('x'.repeat(512), 'name')).toHaveLength(512);
    for (const name of ['', 'x'.repeat(513), '\ud800', undefined as unknown as string]) {
      expect(refusedNow(() => jobName(name, 'name'))).toEqual({
        reason: 'INVALID_FIELD',
        field: 'name',
      });
    }
  });
});
