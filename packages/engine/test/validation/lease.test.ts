import { describe, expect, it } from 'vitest';
import { QueueNames } from '../../src/queue-names.js';
import { leaseOf } from '../../src/validation/lease.js';
import { refusedNow } from '../use-services.js';

const names = new QueueNames('bull', false, 'auto');
const lease = { queue: 'orders', jobId: '7', leaseToken: 'abc' };

describe('leaseOf', () => {
  it('resolves the queue and hands the rest on', () => {
    const { queue, jobId, token } = leaseOf(names, lease);
    expect([queue.keys.base, jobId, token]).toEqual(['bull:orders:', '7', 'abc']);
  });

  it('takes a token of 96 bytes', () => {
    expect(leaseOf(names, { ...lease, leaseToken: 'x'.repeat(96) }).token).toHaveLength(96);
  });

  it.each([
    ['no lease', undefined, 'lease'],
    ['no queue', { ...lease, queue: '' }, 'lease.queue'],
    ['a bad queue', { ...lease, queue: 'a:b' }, 'lease.queue'],
    ['no job', { ...lease, jobId: '' }, 'lease.job_id'],
    ['no token', { ...lease, leaseToken: '' }, 'lease.lease_token'],
    ['the token 0', { ...lease, leaseToken: '0' }, 'lease.lease_token'],
    ['a long token', { ...lease, leaseToken: 'x'.repeat(97) }, 'lease.lease_token'],
    ['a long token in bytes', { ...lease, leaseToken: 'é'.repeat(49) }, 'lease.lease_token'],
  ])('refuses %s', (_, given, field) => {
    expect(refusedNow(() => leaseOf(names, given))).toEqual({ reason: 'INVALID_FIELD', field });
  });

  it('names the field below the path that it is given', () => {
    expect(refusedNow(() => leaseOf(names, undefined, 'leases[2]')).field).toBe('leases[2]');
  });
});
