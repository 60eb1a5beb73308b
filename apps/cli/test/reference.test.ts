import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { buildProgram } from '../src/program.js';
import { VERSION } from '../src/version.js';
import { referencePage } from './reference-page.js';
import { runCli, silentTerminal } from './use-cli.js';

const path = fileURLToPath(new URL('../../../docs/cli.md', import.meta.url));

it('docs/cli.md is what the commands say of themselves', () => {
  const page = referencePage(buildProgram({ terminal: silentTerminal(), exitCode: 0 }));
  if (process.env.ECHOMQ_WRITE_DOCS) writeFileSync(path, page);
  expect(readFileSync(path, 'utf8')).toBe(page);
});

it('tells the version of its package', async () => {
  const manifest = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  expect(VERSION).toBe(JSON.parse(manifest).version);
  expect(await runCli(['--version'])).toMatchObject({ code: 0, out: VERSION });
});

it('helps where the command line is wrong, and changes nothing', async () => {
  const unknown = await runCli(['stats']);
  expect(unknown.code).toBe(2);
  expect(unknown.err).toContain("unknown command 'stats'");
  expect(unknown.err).toContain('Did you mean status?');
  expect(await runCli(['get', 'q'])).toMatchObject({
    code: 2,
    err: expect.stringContaining("missing required argument 'id'"),
  });
  expect(await runCli(['add', 'q', 'n', '--delay', 'soon'])).toMatchObject({
    code: 2,
    err: expect.stringContaining('A span is a number with ms, s, m, h or d'),
  });
  expect(await runCli(['list', '--help'])).toMatchObject({
    code: 0,
    out: expect.stringContaining('ECHOMQ_ADDRESS'),
  });
});
