import { CASES } from '../cases/index.js';
import { DIFFERENCES, type DifferenceId } from '../differences.js';
import { PEERS } from '../oracle/peers.js';
import { listedFor } from '../oracle/verdict.js';
import { tableHead, tableRows } from './table.js';
import { promisedResults } from './tally.js';

const HEAD = `<!-- Generated from packages/compat. Change the list or the cases and run \`pnpm --filter @echomq/compat document\`. -->

# Differences from BullMQ

EchoMQ keeps its jobs in Redis as BullMQ does. For every transition the same state and the same call go through EchoMQ
and through BullMQ, of release 6 and of release 5, and all that stands in Redis afterwards is compared: every key, every
field, every event in its order, times to live in steps of ten seconds, and what the call answers. Both sides live at
the same frozen instant. Fields that are JSON for every reader (\`opts\`, \`parent\`, \`stacktrace\`) are compared as
values; data, results and progress byte for byte.

What differs is on this list, line by line in \`packages/compat/src/listed\`. Any other difference fails the tests, and
so does a listed one that no longer occurs.
`;

/** The page \`docs/compatibility-differences.md\`. */
export function differencesPage(): string {
  const ids = Object.keys(DIFFERENCES) as DifferenceId[];
  const rows = ids.map((id) => {
    const { peers, what, why } = DIFFERENCES[id];
    const where = transitionsOf(id).map((name) => `\`${name}\``);
    return `| \`${id}\` | ${peers.join('<br>')} | ${where.join('<br>')} | ${what} | ${why} |`;
  });
  return [
    HEAD,
    '## The list',
    '',
    '| Difference | From BullMQ | Seen in | What | Why |',
    '| --- | --- | --- | --- | --- |',
    ...rows,
    '',
    '## The comparisons',
    '',
    'Per transition and release of BullMQ: cases, equal results, results that differ as listed, others.',
    '',
    `| ${tableHead().join(' | ')} |`,
    `| --- ${'| ---: '.repeat(tableHead().length - 1)}|`,
    ...tableRows(promisedResults()).map((row) => `| ${row.join(' | ')} |`),
    '',
  ].join('\n');
}

/** The transitions whose cases show a difference. */
export function transitionsOf(id: DifferenceId): string[] {
  return CASES.filter(({ transition, cases }) =>
    cases.some(({ name, peers = PEERS }) =>
      peers.some((peer) => listedFor({ transition, name, peer }).includes(id)),
    ),
  ).map(({ transition }) => transition);
}
