import { Command } from 'commander';
import { withGatewayFlags } from './flags.js';

/** The flags of every command by name, and whether a value follows. */
const FLAGS: ReadonlyMap<string, boolean> = new Map(
  withGatewayFlags(new Command()).options.map(({ long, required }) => [long ?? '', required]),
);

/**
 * A command line with the flags of the gateway that stand before the command moved behind it, so that
 * `echomq --address A list q` is `echomq list --address A q`. Where both places name one, the later counts.
 *
 * @param root the program, which knows its commands
 */
export function leadingFlagsBehind(root: Command, args: readonly string[]): readonly string[] {
  let at = 0;
  while (at < args.length) {
    const word = args[at] ?? '';
    const [name = ''] = word.split('=');
    const takesValue = FLAGS.get(name);
    if (takesValue === undefined) break;
    at += takesValue && name === word ? 2 : 1;
  }
  const flags = args.slice(0, at);
  const rest = args.slice(at);
  let depth = 0;
  let command: Command | undefined = root;
  while (command !== undefined) {
    command = command.commands.find((each) => each.name() === rest[depth]);
    if (command !== undefined) depth += 1;
  }
  return [...rest.slice(0, depth), ...(depth === 0 ? [] : flags), ...rest.slice(depth)];
}
