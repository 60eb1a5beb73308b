import { useRedis } from '@echomq/testkit';
import { beforeAll, describe, expect, it } from 'vitest';
import { blocksOf, listPages, type Program, programsOf, readPage } from '../src/index.js';
import { openGateway } from './open-gateway.js';
import { runProgram } from './run-program.js';
import { checkTypes } from './samples.js';

const redis = useRedis();

const pages = listPages()
  .map((page) => [page, programsOf(blocksOf(page, readPage(page)))] as const)
  .filter(([, programs]) => programs.length > 0);

describe('the programs of', () => {
  beforeAll(async () => {
    await checkTypes(pages.flatMap(([, all]) => all.filter(({ language }) => language === 'ts')));
  }, 60_000);

  it.each(pages)('%s', { timeout: 60_000 }, async (_page, programs: readonly Program[]) => {
    await redis.client.flushall();
    const gateway = await openGateway(redis.url);
    for (const program of programs) {
      const said = await runProgram(program, { ...gateway, redisUrl: redis.url });
      if (program.output === undefined || said === undefined) continue;
      expect(said, `${program.page}:${program.line}`).toEqual(expected(program, said));
    }
  });
});

/** What must have been printed: the page's words; or, where it says that values vary, words of the same shape. */
function expected({ output = '', varies }: Program, said: string): string {
  return varies === true && shape(output).trim() === shape(said).trim() ? said : output;
}

/** A text with its numbers, texts of JSON and runs of spaces left out. */
function shape(text: string): string {
  return text
    .replaceAll(/"[^"]*"(?!:)/g, '""')
    .replaceAll(/\d[\d.]*/g, '0')
    .replaceAll(/[ \t]+/g, ' ');
}
