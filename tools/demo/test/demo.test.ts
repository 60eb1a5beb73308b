import { inFull, LANGUAGES, SAMPLE_WORKERS, skipNote, toolchain } from '@echomq/languages';
import { keysOf, spawnNode, useRedis } from '@echomq/testkit';
import { describe, expect, it } from 'vitest';
import { sampleFolder } from './sample-folder.js';

const redis = useRedis();
const RUN = new URL('run.mjs', import.meta.url).pathname;

/** The sample workers whose tools are here, built before the time of a test begins; the others are named. */
const workers = inFull(SAMPLE_WORKERS);
const found = Object.fromEntries(
  Object.entries('missing' in workers ? {} : workers).filter(
    ([, worker]) => !('missing' in worker.find()),
  ),
);
const notes = [...new Set(LANGUAGES.map((name) => skipNote(inFull(toolchain(name)))))].join('');

/** The demo as a process on the file's server. */
const demo = (...args: string[]) =>
  spawnNode(RUN, {
    args,
    env: { ECHOMQ_REDIS_URL: redis.url },
    ready: /^Workers: /,
    readyLimitMs: 30_000,
  });

describe('the demo', () => {
  it('works 60 files, finds its books right and leaves no key on a server of the user', async () => {
    await redis.client.set('mine', 'untouched');
    const it = await demo(sampleFolder(60));
    expect(await it.exit.wait(60_000)).toEqual({ code: 0, signal: null });
    const said = it.lines.items.join('\n');
    expect(said).toMatch(/Killed worker-\d .* while it held \d+ jobs, [2-8] of them surely begun/);
    expect(said).toMatch(/│ added +│ +335 │/);
    expect(said).toMatch(/│ completed +│ +330 │/);
    expect(said).toMatch(/│ failed +│ +5 │/);
    expect(said).toMatch(/│ retried +│ +400 │/);
    expect(said).toMatch(/│ recovered after the kill +│ +[2-8] │/);
    expect(said).toContain('right  80 results have the SHA-256 computed apart');
    expect(said).not.toContain('WRONG');
    expect(it.lines.items.at(-1)).toBe('The books are right.');
    expect((await keysOf(redis.client, '')).map(String)).toEqual(['mine']);
  }, 90_000);

  it.skipIf('missing' in workers)(
    `has one queue worked in every language, and says who worked how much${notes}`,
    async () => {
      const it = await demo('--workers', Object.keys(found).join(','), sampleFolder(60));
      expect(await it.exit.wait(60_000)).toEqual({ code: 0, signal: null });
      const said = it.lines.items.join('\n');
      let jobs = 0;
      for (const { language } of Object.values(found)) {
        const row = new RegExp(`│ by workers in ${language} +│ +(\\d+) │`);
        expect(said).toMatch(row);
        jobs += Number(row.exec(said)?.[1]);
      }
      expect(jobs).toBe(335);
      expect(said).not.toContain('WRONG');
    },
    90_000,
  );

  it('ends all that it has started when it is interrupted', async () => {
    await redis.client.flushall();
    const it = await demo(sampleFolder(5));
    it.kill('SIGINT');
    expect(await it.exit.wait(30_000)).toEqual({ code: 130, signal: null });
    const pids = [...it.lines.items.join('\n').matchAll(/process (\d+)/g)].map(([, pid]) => pid);
    expect(pids).toHaveLength(4);
    for (const pid of pids) expect(() => process.kill(Number(pid), 0)).toThrow('ESRCH');
    expect(await keysOf(redis.client, '')).toEqual([]);
  }, 60_000);

  it('says at once that no server answers', async () => {
    const it = spawnNode(RUN, {
      args: [sampleFolder(1)],
      env: { ECHOMQ_REDIS_URL: 'redis://127.0.0.1:1' },
      ready: /^Workers: /,
      readyLimitMs: 30_000,
    });
    await expect(it).rejects.toThrow(
      'The demo could not run: The server at redis://127.0.0.1:1 cannot be used',
    );
  });
});
