import { Command } from 'ioredis';
import { expect, it } from 'vitest';
import { CommandHead, encodeCommand } from '../src/command-head.js';
import type { RedisArgument } from '../src/redis-client.js';

const SHA = 'a'.repeat(40);
const keys = ['bull:{q}:wait', 'bull:größe:meta'];

/** What ioredis writes. */
function written(name: string, args: readonly RedisArgument[]): Buffer {
  const command = new Command(name, args as (string | number | Buffer)[], { replyEncoding: null });
  return Buffer.from(command.toWritable({}));
}

it.each<[string, RedisArgument[]]>([
  ['none', []],
  ['texts', ['', 'a', 'grüße 😀', '\r\n$3\r\n']],
  ['numbers', [0, -1, 1.5, 1_700_000_000_000]],
  ['bytes', [Buffer.from([0, 255, 13, 10]), Buffer.alloc(0), Buffer.alloc(70_000, 7)]],
  ['all by turns', ['a', Buffer.from('b'), Buffer.from('c'), 4, 'd', Buffer.alloc(0), '']],
])('writes a command as ioredis does: %s', (_, rest) => {
  const head = new CommandHead('EVALSHA', [SHA, keys.length, ...keys]);
  const args = [...head.args, ...rest];
  expect(encodeCommand(head, args).equals(written('EVALSHA', args))).toBe(true);
  // With another number of arguments, and with the first again.
  const more = [...args, 'one more'];
  expect(encodeCommand(head, more).equals(written('EVALSHA', more))).toBe(true);
  expect(encodeCommand(head, args).equals(written('EVALSHA', args))).toBe(true);
});

it('takes bytes that are no Buffer', () => {
  const head = new CommandHead('EVALSHA', [SHA, 0]);
  const bytes = new Uint8Array([1, 2, 3]);
  const expected = encodeCommand(head, [...head.args, Buffer.from(bytes)]);
  expect(encodeCommand(head, [...head.args, bytes]).equals(expected)).toBe(true);
});

it('writes nothing for what is missing', () => {
  const head = new CommandHead('EVALSHA', [SHA, 0]);
  const missing = [...head.args, undefined as unknown as string, 'b'];
  expect(encodeCommand(head, missing).equals(written('EVALSHA', [...head.args, '', 'b']))).toBe(
    true,
  );
});
