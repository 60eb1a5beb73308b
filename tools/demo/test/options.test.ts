import { describe, expect, it, vi } from 'vitest';
import { parseOptions } from '../src/options.js';
import { ROOT } from '../src/root.js';

describe('parseOptions', () => {
  it('takes the repository itself and sane figures by default', () => {
    expect(parseOptions([], {})).toEqual({
      folder: ROOT,
      maxFiles: 5_000,
      concurrency: 8,
      replace: true,
      workers: ['ts'],
      limitMs: 90_000,
      redisUrl: undefined,
    });
  });

  it('takes a folder from where the user is, flags after a lone --, and the server of ECHOMQ_REDIS_URL', () => {
    const env = { INIT_CWD: '/home/ada', ECHOMQ_REDIS_URL: 'redis://10.0.0.1' };
    const args = [
      '--',
      'photos',
      '--max-files',
      '7',
      '--no-replace',
      '--limit',
      '5',
      '--metrics',
      'm',
    ];
    expect(parseOptions(args, env)).toMatchObject({
      folder: '/home/ada/photos',
      maxFiles: 7,
      replace: false,
      limitMs: 5_000,
      redisUrl: 'redis://10.0.0.1',
      metricsFile: '/home/ada/m',
    });
  });

  it.each([
    ['--help', 0, ''],
    ['--max-files=0', 1, 'A whole number from 1 to 1000000.'],
    ['--workers=ts,cobol', 1, 'No worker in "cobol"'],
    ['--nonsense', 1, "unknown option '--nonsense'"],
  ])('ends at once on %s', (flag, exit, said) => {
    const out = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    const err = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    try {
      expect(parseOptions([flag], {})).toEqual({ exit });
      expect(err.mock.calls.join('')).toContain(said);
    } finally {
      out.mockRestore();
      err.mockRestore();
    }
  });
});
