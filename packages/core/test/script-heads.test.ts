import { SCRIPTS } from '@echomq/lua';
import { expect, it } from 'vitest';
import { QueueKeys } from '../src/index.js';
import { ScriptHeads } from '../src/script-heads.js';

const { addStandardJob, pause } = SCRIPTS;

it('makes the head of a script once for the keys of a queue', () => {
  const heads = new ScriptHeads();
  const [one, other] = [new QueueKeys('bull', 'one'), new QueueKeys('bull', 'other')];
  const head = heads.of(addStandardJob, one);
  expect(head.args).toEqual([
    addStandardJob.sha,
    addStandardJob.keys.length,
    ...addStandardJob.keys.map((name) => one[name as 'wait']),
  ]);
  expect(heads.of(addStandardJob, one)).toBe(head);
  expect(heads.of(pause, one).args[0]).toBe(pause.sha);
  expect(heads.of(addStandardJob, other).args).toContain('bull:other:wait');
});

it('makes one for keys that are frozen', () => {
  const heads = new ScriptHeads();
  const keys = Object.freeze({ ...new QueueKeys('bull', 'q') });
  expect(heads.of(pause, keys)).toBe(heads.of(pause, keys));
});

it('makes one each time for keys that were put together for the call', () => {
  const heads = new ScriptHeads();
  const keys = { ...new QueueKeys('bull', 'q') };
  expect(heads.of(pause, keys)).not.toBe(heads.of(pause, keys));
  expect(heads.of(pause, keys).args).toEqual(heads.of(pause, new QueueKeys('bull', 'q')).args);
});
