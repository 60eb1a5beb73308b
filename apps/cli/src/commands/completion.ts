import tabtab from '@pnpm/tabtab';
import { Argument, Command } from 'commander';
import { completionFor } from '../completion/candidates.js';
import type { GatewayFlags } from '../gateway/flags.js';
import { leadingFlagsBehind } from '../gateway/leading-flags.js';
import { openGateway } from '../gateway/open.js';
import type { Program } from '../program-state.js';

const SHELLS = ['bash', 'zsh', 'fish'] as const;
/** How long a gateway may take to name its queues: somebody waits at a key. */
const ASK_MS = 800;

/** `echomq completion`: the script that has a shell complete `echomq`. */
export function completionCommand(program: Program): Command {
  return new Command('completion')
    .description(
      'Prints the script that has a shell complete commands, flags and names of queues: add it to what the shell reads ' +
        'at its start, as in `echomq completion bash >> ~/.bashrc`.',
    )
    .addArgument(new Argument('<shell>', 'the shell').choices(SHELLS))
    .action(async (shell: (typeof SHELLS)[number]) => {
      const names = { name: 'echomq', completer: 'echomq' };
      await program.terminal.out(await tabtab.getCompletionScript({ ...names, shell }));
    });
}

/** What that script calls, at each Tab. */
export function completionServer(program: Program, root: () => Command): Command {
  return new Command('completion-server')
    .argument('[words...]', 'the command line so far')
    .allowUnknownOption()
    .action(async () => {
      const { terminal } = program;
      const { env } = terminal;
      const { complete, partial, lastPartial: current } = tabtab.parseEnv({ ...env });
      if (!complete) return;
      const typed = leadingFlagsBehind(root(), partial.split(/\s+/).slice(1, -1));
      const found = completionFor(root(), typed, current);
      const queues = found.wantsQueue ? await queueNames(typed, env) : [];
      const candidates = [...found.candidates, ...queues.map((name) => ({ name }))].filter(
        ({ name }) => name.startsWith(current),
      );
      const lines: string[] = [];
      tabtab.log(candidates, tabtab.getShellFromEnv({ ...env }), (line) => lines.push(line));
      if (lines.length > 0) await terminal.out(lines.join('\n'));
    });
}

/** The queues of the gateway that the flags so far and the variables name; none where it cannot be asked. */
async function queueNames(
  words: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<string[]> {
  const value = (name: string) => {
    const flag = `--${name}`;
    const at = words.indexOf(flag);
    const joined = words.find((word) => word.startsWith(`${flag}=`))?.slice(flag.length + 1);
    return (
      joined ??
      (at < 0 ? undefined : words[at + 1]) ??
      env[`ECHOMQ_${name.toUpperCase().replaceAll('-', '_')}`]
    );
  };
  const files = ['token-file', 'tls-ca', 'tls-cert', 'tls-key', 'tls-server-name'] as const;
  const keys = ['tokenFile', 'tlsCa', 'tlsCert', 'tlsKey', 'tlsServerName'] as const;
  const given = keys.flatMap((key, at) => {
    const text = value(files[at] ?? '');
    return text === undefined ? [] : [[key, text] as const];
  });
  try {
    const flags: GatewayFlags = {
      address: value('address') ?? '127.0.0.1:50051',
      timeout: ASK_MS,
      tls: words.includes('--tls'),
      ...Object.fromEntries(given),
    };
    const connection = openGateway(flags, env);
    try {
      return (await connection.getQueues().page()).items.map(({ name }) => name);
    } finally {
      await connection.close();
    }
  } catch {
    return [];
  }
}
