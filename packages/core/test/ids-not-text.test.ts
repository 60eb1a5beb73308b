import { describe, expect, it } from 'vitest';
import { moveToActive } from '../src/index.js';
import { META, NOW, useStore } from './use-store.js';

/** Ids of foreign writers that are not UTF-8 text: no protocol of texts can take or end such a job. */
const used = useStore();
const fetch = (queue: ReturnType<typeof used.queue>) =>
  moveToActive(used.store, queue.keys, { token: 't', lockDuration: 30_000 }, NOW);

const hex = (text: string) => Buffer.from(text, 'hex');

describe('an id', () => {
  it.each([
    ['a stray byte', '61ff62'],
    ['a lone continuation', '80'],
    ['a cut sequence', '61e282'],
    ['an overlong slash', 'c0af'],
    ['an overlong in three bytes', 'e0809f'],
    ['a surrogate', 'eda080'],
    ['beyond the last character', 'f4908080'],
    ['five bytes', 'f888808080'],
    ['Latin-1', Buffer.from('gr\u00fcn', 'latin1').toString('hex')],
  ])('of %s is failed with the reason, and the next job runs', async (_, bytes) => {
    const queue = used.queue();
    const id = hex(bytes);
    const key = Buffer.concat([Buffer.from(queue.base), id]);
    const { client } = used.redis;
    await queue.seed({ meta: META, wait: ['1'], jobs: { 1: {} } });
    await client.call('HSET', key, 'name', 'n', 'data', '1', 'opts', '{}', 'timestamp', '1');
    await client.call('RPUSH', queue.key('wait'), id);

    expect(await fetch(queue)).toMatchObject({ kind: 'job', job: { id: '1' } });

    expect(await client.zrangeBuffer(queue.key('failed'), '0', '-1')).toEqual([id]);
    const reason = await client.callBuffer('HGET', key, 'failedReason');
    expect(String(reason)).toBe('job is corrupt: its id is not UTF-8 text');
    expect(await client.lrange(queue.key('active'), 0, -1)).toEqual(['1']);
    expect(await fetch(queue)).toEqual({ kind: 'idle' });
  });

  it.each(['grün', '€', '😀', '\u{10ffff}', '\ud7ff\ue000', 'ascii', '\u0000'])(
    'of text runs: %j',
    async (id) => {
      const queue = used.queue();
      await queue.seed({ meta: META, wait: [id], jobs: { [id]: {} } });
      expect(await fetch(queue)).toMatchObject({ kind: 'job', job: { id } });
    },
  );
});
