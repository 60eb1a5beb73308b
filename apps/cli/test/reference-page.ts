import type { Argument, Command, Option } from 'commander';
import { isHidden } from '../src/completion/candidates.js';
import { EXIT } from '../src/exit/exit-codes.js';

const MEANINGS: Readonly<Record<keyof typeof EXIT, string>> = {
  done: 'it is done',
  failed: 'it failed, for none of the reasons below',
  usage: 'the command line is wrong; nothing was changed',
  notFound: 'the queue, job or scheduler is not there',
  unavailable:
    'no gateway could be reached, its store is away, or no answer came in time: try again',
  denied: 'the credentials are missing, wrong, or do not allow it',
  refused: 'the gateway refused: another state, a full queue, a limit',
  broken: '`doctor` found something broken that was not mended',
  interrupted: 'it was interrupted',
};

const HEAD = `# The command line

\`echomq\` (\`@echomq/cli\`) looks into the queues of a gateway, operates them and works on them. It speaks
\`echomq.v1\` as every client does and never to Redis.

Nothing is on npm yet: in a clone, \`npx -y pnpm@12 build\` comes first, and \`echomq\` below is
\`node apps/cli/build/main.js\`. A gateway must run ([quick start](quick-start.md)).

This page is made from the commands themselves: \`ECHOMQ_WRITE_DOCS=1 pnpm test --project cli reference\`.

- The flags of the gateway and \`--json\` may stand before the command as well: \`echomq --address A list q\`.
- With \`--json\` an answer is one JSON value per line; lists and events come as they are read, and what there is none of
  has no line (a healthy queue of \`doctor\`). Jobs are shown as they are stored (\`"attempts":0\`: once). Errors are
  \`{"error":{"message","reason","code","retryable","metadata","advice"}}\` on the error stream.
- A span is a number with a unit: \`250\` (ms), \`10s\`, \`5m\`, \`1.5h\`, \`7d\`.
- Control characters in names, payloads and reasons are written out (\`\\x1b\`): nobody's data drives a terminal.
- Bars and tables that move are shown where somebody watches; in files and pipes there are none.
- Tokens are read from a file or from \`ECHOMQ_TOKEN\`, never from a flag, and never printed. A token is not sent over
  a plain channel that leaves this machine.
- \`work\` puts each command into a process group of its own. When a lease is lost, a job is cancelled or the worker has
  to end, the group gets SIGTERM and 5 s later SIGKILL; with a second Ctrl-C at once. Where the worker
  itself is killed (SIGKILL), its commands go on, and their jobs run again when their locks lapse. \`ECHOMQ_TOKEN\` is not handed to commands.
- \`doctor\` only reads; what may be a moment of a healthy queue is told only if it is still so after \`--settle\`. With
  \`--repair\` each fault is mended by one atomic step that looks again itself, and the gateway logs it (\`queue.mended\`).
  A job that a lock holds stays with its worker, one that has ended stays ended, any other is put where it runs soonest.
`;

/** docs/cli.md. */
export function referencePage(root: Command): string {
  const commands = root.commands.filter((command) => !isHidden(command));
  const leaves = commands.flatMap((command) =>
    command.commands.length > 0 ? command.commands : [command],
  );
  const shared = leaves[0]?.options.filter(isShared) ?? [];
  return [
    HEAD,
    '## Exit codes\n',
    '| Code | Meaning |\n| --- | --- |',
    ...Object.entries(EXIT).map(
      ([name, code]) => `| ${code} | ${MEANINGS[name as keyof typeof EXIT]} |`,
    ),
    '\nOf several ids the code is that of the first that failed.\n',
    '## Flags of every command that speaks to a gateway\n',
    optionTable(shared),
    ...leaves.map(section),
  ]
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trimEnd()
    .concat('\n');
}

function section(command: Command): string {
  const name = nameOf(command);
  const own = command.options.filter((option) => !isShared(option));
  return [
    `\n## ${name}\n`,
    `\`${name} ${command.usage()}\`\n`,
    `${command.description()}\n`,
    ...(command.registeredArguments.length > 0 ? [argumentTable(command.registeredArguments)] : []),
    ...(own.length > 0 ? [optionTable(own)] : []),
  ].join('\n');
}

function nameOf(command: Command): string {
  return command.parent ? `${nameOf(command.parent)} ${command.name()}` : command.name();
}

function isShared(option: Option): boolean {
  return option.helpGroupHeading === 'Gateway:' || option.long === '--json';
}

function argumentTable(all: readonly Argument[]): string {
  const rows = all.map((argument) => {
    const name = `${argument.name()}${argument.variadic ? '...' : ''}`;
    const choices = argument.argChoices ? ` (${argument.argChoices.join(', ')})` : '';
    return `| \`${name}\` | ${argument.required ? 'yes' : ''} | ${argument.description}${choices} |`;
  });
  return `| Argument | Needed | |\n| --- | --- | --- |\n${rows.join('\n')}\n`;
}

function optionTable(all: readonly Option[]): string {
  const rows = all.map((option) => {
    const choices = option.argChoices ? ` (${option.argChoices.join(', ')})` : '';
    const value = option.defaultValue === undefined ? '' : `\`${option.defaultValue}\``;
    const variable = option.envVar === undefined ? '' : `\`${option.envVar}\``;
    const needed = option.mandatory && option.defaultValue === undefined ? ' (needed)' : '';
    return `| \`${option.flags}\` | ${variable} | ${value} | ${option.description}${choices}${needed} |`;
  });
  return `| Flag | Variable | Default | |\n| --- | --- | --- | --- |\n${rows.join('\n')}\n`;
}
