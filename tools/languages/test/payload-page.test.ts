import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { PAYLOAD_PROGRAMS, ROOT } from '../src/index.js';
import { INVALID, VECTORS } from './vectors.js';

const PAGE = join(ROOT, 'docs/payloads.md');
const BEGIN =
  '<!-- payloads: written by `ECHOMQ_WRITE_DOCS=1 pnpm test --project languages payload-page` -->';
const END = '<!-- /payloads -->';
const SHOWN = 64;
const VISIBLE: Readonly<Record<string, string>> = { '\n': '⏎', '\t': '⇥' };

function row([name, bytes]: readonly [string, Buffer]): string {
  const text = bytes.toString('utf8').replaceAll(/[\n\t]/g, (each) => VISIBLE[each] ?? each);
  const whole = text.length <= SHOWN ? `\`${text}\`` : `\`${text.slice(0, SHOWN / 2)}\`…`;
  return `| \`${name}\` | ${text === '' ? 'nothing' : whole} | ${bytes.length.toLocaleString('en-US')} |`;
}

function table(): string {
  const languages = ['typescript', ...Object.keys(PAYLOAD_PROGRAMS)].join(', ');
  const hex = `\`${INVALID.toString('hex')}\` in hex`;
  return [
    `Written by each of ${languages}, read by each, the result written back by each:`,
    '',
    '| Value | The text | Bytes |',
    '| --- | --- | --- |',
    ...Object.entries(VECTORS).map(row),
    `| \`invalid\` | ${hex}: no UTF-8, left in the store by another program | ${INVALID.length} |`,
  ].join('\n');
}

it('docs/payloads.md has every value that is sent through every language', () => {
  const page = readFileSync(PAGE, 'utf8');
  const [before, rest = ''] = page.split(BEGIN);
  const wanted = `${before}${BEGIN}\n\n${table()}\n\n${END}${rest.split(END)[1] ?? ''}`;
  if (process.env.ECHOMQ_WRITE_DOCS) writeFileSync(PAGE, wanted);
  else expect(page).toBe(wanted);
});
