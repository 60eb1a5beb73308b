import type { Connection } from '@echomq/sdk';
import type { Command } from 'commander';
import { EXIT, type ExitCode } from '../exit/exit-codes.js';
import type { Program } from '../program-state.js';
import type { Terminal } from '../terminal/terminal.js';
import { type GatewayFlags, withGatewayFlags } from './flags.js';
import { openGateway } from './open.js';

/** What a command that speaks to a gateway works with. */
export interface Session {
  readonly connection: Connection;
  readonly terminal: Terminal;
  /** Answer in JSON. */
  readonly json: boolean;
}

/** What a command does with its flags and arguments. What it returns is the exit code; nothing: it is done. */
export type Run<Args extends readonly unknown[], Options> = (
  session: Session,
  options: Options,
  args: Args,
) => Promise<ExitCode | undefined> | Promise<void>;

/** Gives a command the gateway's flags, and a connection for as long as it runs. */
export function overGateway<Args extends readonly unknown[], Options = object>(
  command: Command,
  program: Program,
  run: Run<Args, Options>,
): Command {
  return withGatewayFlags(command).action(async () => {
    const flags = command.opts<GatewayFlags & Options>();
    const { terminal } = program;
    const connection = openGateway(flags, terminal.env);
    try {
      const session = { connection, terminal, json: flags.json ?? false };
      const args = command.processedArgs as unknown as Args;
      program.exitCode = ((await run(session, flags, args)) as ExitCode | undefined) ?? EXIT.done;
    } finally {
      await connection.close();
    }
  });
}
