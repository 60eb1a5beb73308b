import { describe, expect, it } from 'vitest';
import { useCli } from './use-cli.js';

const cli = useCli();

describe('status, add, get, list', () => {
  it('adds a job with its options, shows it, lists it', async () => {
    const { name } = cli.queue();
    const added = await cli.echomq([
      ...['add', name, 'mail', '{"to":"a@b.c"}', '--delay', '1h', '--attempts', '3', '--json'],
      ...['--backoff', 'exponential:2s', '--remove-on-complete'],
    ]);
    expect(added).toMatchObject({ code: 0, err: '' });
    expect(added.values).toEqual([{ queue: name, id: '1', state: 'delayed', outcome: 'created' }]);
    const got = await cli.echomq(['get', name, '1', '--json']);
    expect(got.values[0]).toMatchObject({
      data: { to: 'a@b.c' },
      delay: 3_600_000,
      opts: { attempts: 3, backoff: { type: 'exponential', delay: 2_000 }, removeOnComplete: true },
    });
    expect((await cli.echomq(['get', name, '1'])).out).toMatch(/^state +delayed$/m);
    const listed = await cli.echomq(['list', name, '--state', 'delayed']);
    expect(listed.out.split('\n')[1]).toMatch(/^1 +mail +delayed +\S+ +0\/3$/);
    expect((await cli.echomq(['list', name, '--state', 'failed'])).out).toBe('no jobs');
  });

  it('shows a job without options as one that may be tried once', async () => {
    const { name } = cli.queue();
    await cli.echomq(['add', name, 'mail']);
    expect((await cli.echomq(['list', name])).out.split('\n')[1]).toMatch(/ 0\/1$/);
    const { out } = await cli.echomq(['get', name, '1']);
    expect(out).toMatch(/^attemptsMade +0 of 1$/m);
    expect(out).not.toMatch(/^opts /m);
    // As it is stored, and as BullMQ stores it.
    const json = await cli.echomq(['get', name, '1', '--json']);
    expect(json.values[0]).toMatchObject({ opts: { attempts: 0 }, attemptsMade: 0 });
  });

  it('shows what other writers stored as it is: large numbers, no JSON, too deep', async () => {
    const { name } = cli.queue();
    const deep = '['.repeat(20_000) + ']'.repeat(20_000);
    const stored = { big: '{"n":12345678901234567890}', words: 'hello {', deep };
    for (const [id, data] of Object.entries(stored)) {
      await cli.redis.client.hset(`bull:${name}:${id}`, {
        name: 'n',
        data,
        opts: '{}',
        timestamp: 1,
      });
      await cli.redis.client.lpush(`bull:${name}:wait`, id);
      const shown = await cli.echomq(['get', name, id]);
      expect(shown.out.split('\n')).toContain(`data             ${data}`);
    }
    const json = async (id: string) => (await cli.echomq(['get', name, id, '--json'])).out;
    expect(await json('deep')).toContain(`"data":${deep}`);
    expect(await json('big')).toContain('"data":{"n":12345678901234567890}');
    expect(JSON.parse(await json('words'))).toMatchObject({ problem: 'its data are no JSON' });
    await cli.redis.client.hset(`bull:${name}:deep`, { data: '{"a":\r\n1}', returnvalue: deep });
    expect(JSON.parse(await json('deep'))).toMatchObject({
      ...{ id: 'deep', data: { a: 1 } },
      problem: expect.stringContaining('too deeply'),
    });
    const { values } = await cli.echomq(['list', name, '--json']);
    expect(values.map((job) => (job as { id: string }).id)).toEqual(['big', 'words', 'deep']);
  });

  it('tells who waited too briefly that the job stands', async () => {
    const { name } = cli.queue();
    const waited = await cli.echomq(['add', name, 'mail', '--wait', '50']);
    expect(waited).toMatchObject({ code: 4, err: expect.stringContaining('The job stands') });
  });

  it('adds a job for each line of the input, and says which line is no JSON', async () => {
    const queue = cli.queue();
    const input = Array.from({ length: 1_200 }, (_, n) => `{"n":${n}}`).join('\n');
    const added = await cli.echomq(['add', queue.name, 'line', '--lines'], { input });
    expect(added).toMatchObject({ code: 0, out: '1200 jobs added' });
    expect(await queue.getWaitingCount()).toBe(1_200);
    const wrong = await cli.echomq(['add', queue.name, 'line', '--lines'], { input: '{}\n{' });
    expect(wrong).toMatchObject({ code: 2, err: expect.stringContaining('line 2 is no JSON') });
    expect(await queue.getWaitingCount()).toBe(1_200);
  });

  it('shows how many jobs are where, once where nobody watches', async () => {
    const queue = cli.queue();
    await queue.add('a', {});
    await queue.pause();
    const shown = await cli.echomq(['status', queue.name]);
    expect(shown.code).toBe(0);
    expect(shown.out).toMatch(/^QUEUE +WAITING +PRIORITIZED /);
    expect(shown.out.split('\n')[1]).toMatch(new RegExp(`^${queue.name} +1 +0 .* paused$`));
    const json = await cli.echomq(['status', queue.name, '--json']);
    expect(json.values).toEqual([
      {
        ...{ queue: queue.name, paused: true, workers: 0 },
        counts: expect.objectContaining({ waiting: 1, completed: 0 }),
      },
    ]);
  });

  it('shows the other queues where one cannot be read, and says how to find out why', async () => {
    const [good, broken] = [cli.queue(), cli.queue()];
    await good.add('a', {});
    await broken.pause();
    await cli.redis.client.set(`bull:${broken.name}:wait`, 'of another kind');
    const { code, out } = await cli.echomq(['status', good.name, broken.name]);
    expect(code).toBe(0);
    expect(out.split('\n')[1]).toMatch(new RegExp(`^${good.name} +1 `));
    expect(out.split('\n')[2]).toMatch(
      new RegExp(`^${broken.name} .* cannot be read: .echomq doctor`),
    );
    await cli.redis.client.del(`bull:${broken.name}:wait`);
  });

  it('writes out what would drive the terminal', async () => {
    const queue = cli.queue();
    await queue.add('\u001b[2Jgone', { text: '\u001b]0;title\u0007' });
    const { out } = await cli.echomq(['list', queue.name]);
    expect(out).toContain('\\x1b[2Jgone');
    expect((await cli.echomq(['get', queue.name, '1'])).out).not.toContain('\u001b');
  });
});
