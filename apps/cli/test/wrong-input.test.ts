import { describe, expect, it } from 'vitest';
import { runCli } from './use-cli.js';

/** Command lines that are wrong, with what must be said of each. None reaches a gateway. */
const WRONG: readonly (readonly [string, string])[] = [
  ['add', "missing required argument 'queue'"],
  ['add q', "missing required argument 'name'"],
  ['add q n {bad', 'DATA is no JSON'],
  ['add q n {} --attempts 0', 'whole number of at least 1'],
  ['add q n {} --priority high', 'whole number'],
  ['add q n {} --delay tomorrow', 'A span is a number with'],
  ['add q n {} --backoff exponential', 'It needs its first span: exponential:1s'],
  ['add q n {} --deduplication-ttl 5s', 'goes with --deduplication-id'],
  ['add q n {} --lines', 'leave DATA out'],
  ['get q', "missing required argument 'id'"],
  ['list q --state wating', 'Allowed choices are waiting'],
  ['list q --limit -5', 'whole number of at least 0'],
  ['retry q', 'say which jobs: ids, or --all'],
  ['clean q', "required option '--older-than <span>'"],
  ['drain q', 'say --yes'],
  ['schedulers', "missing required argument 'queue'"],
  ['work q', "required option '--exec <command>'"],
  ['work q --exec cat --concurrency 0', 'whole number of at least 1'],
  ['bench --jobs 0', 'whole number of at least 1'],
  ['status --interval 0', 'At least 100 ms'],
  ['completion tcsh', 'Allowed choices are bash, zsh, fish'],
  ['wat', "unknown command 'wat'"],
  ['list q --wat', "unknown option '--wat'"],
  ['list q --address', 'argument missing'],
];

describe('a wrong command line', () => {
  it.each(WRONG)('%s: exit code 2, and what is wrong', async (line, said) => {
    const words = line.split(' ');
    const plain = await runCli(words);
    expect(plain).toMatchObject({ code: 2, out: '', err: expect.stringContaining(said) });
    // What makes a script for a shell has no answer in JSON.
    if (line.startsWith('completion')) return;
    const json = await runCli(['--json', ...words]);
    expect(json).toMatchObject({ code: 2, out: '' });
    expect(JSON.parse(json.err).error.message).toContain(said);
  });

  it('help is no error, and a command that is not named is one', async () => {
    expect(await runCli(['--help'])).toMatchObject({ code: 0, err: '' });
    expect(await runCli(['add', '--help'])).toMatchObject({ code: 0 });
    expect((await runCli([])).code).toBe(2);
  });
});
