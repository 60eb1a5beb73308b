import { expect, test } from 'vitest';
import { committedTranscript, freshTranscript, ROOT } from '../src/index.js';
import { findClient, playSession } from '../src/session.js';

test.skipIf(findClient() === undefined)(
  'the session in docs/ is what happens (transcript-moveToFinished.md; pnpm transcript)',
  async () => {
    expect(await freshTranscript()).toBe(committedTranscript());
  },
);

test.skipIf(findClient() === undefined)(
  'commands share a shell and show what they print',
  async () => {
    const steps = [
      { say: 'First.' },
      { run: 'NAME=a' },
      { run: 'redis-cli XADD $NAME 1700000000000-0 field value' },
      { run: 'redis-cli --raw KEYS "*" | sort' },
      { say: 'Last.' },
    ];
    expect(await playSession(ROOT, steps)).toBe(
      [
        'First.\n',
        '```console',
        '$ NAME=a',
        '$ redis-cli XADD $NAME 1700000000000-0 field value',
        '"<id 1>"',
        '$ redis-cli --raw KEYS "*" | sort',
        'a',
        '```\n',
        'Last.\n',
      ].join('\n'),
    );
  },
);

test.skipIf(findClient() === undefined)('a command that fails ends the session', async () => {
  await expect(playSession(ROOT, [{ run: 'false' }])).rejects.toThrow('Command failed');
});
