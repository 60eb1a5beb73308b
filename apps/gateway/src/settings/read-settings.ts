import { Command, CommanderError, Option } from 'commander';
import {
  flagOf,
  SETTING_KEYS,
  SETTINGS,
  type Setting,
  type SettingKey,
  variableOf,
} from './settings.js';

/** What was given, as text, before anything is checked. */
export interface GivenSettings {
  /** The texts, with the flag or variable that each came from; absent: nobody gave it. */
  readonly texts: ReadonlyMap<SettingKey, { readonly text: string; readonly from: string }>;
  /** What cannot be a setting at all. */
  readonly problems: readonly string[];
  /** The text that `--help` or `--version` asks for; nothing else counts then. */
  readonly print?: string;
  /** `--print-config` was given. */
  readonly printConfig: boolean;
}

/**
 * Gathers the texts of all settings: a flag goes before its variable, an empty variable counts as absent.
 *
 * @param argv the arguments alone, without node and script
 */
export function readSettings(
  env: Readonly<Record<string, string | undefined>>,
  argv: readonly string[],
  version: string,
): GivenSettings {
  let printed = '';
  const command = makeCommand(version);
  command.configureOutput({
    writeOut: (text) => {
      printed += text;
    },
    writeErr: () => undefined,
  });
  const problems: string[] = [];
  try {
    command.parse([...argv], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (printed !== '')
      return { texts: new Map(), problems: [], print: printed, printConfig: false };
    problems.push(error.message.replace(/^error: /, ''));
  }
  for (const word of command.args) {
    problems.push(
      word.startsWith('-') ? `${word.split('=')[0]}: no such flag` : 'unexpected argument',
    );
  }
  const flags = command.opts<Record<string, string | true | undefined>>();
  const texts = new Map<SettingKey, { text: string; from: string }>();
  for (const key of SETTING_KEYS) {
    const flag = flags[key];
    const variable = env[variableOf(key)];
    if (flag !== undefined) texts.set(key, { text: String(flag), from: flagOf(key) });
    else if (variable) texts.set(key, { text: variable, from: variableOf(key) });
  }
  return { texts, problems, printConfig: flags.printConfig === true };
}

function makeCommand(version: string): Command {
  const command = new Command('echomq-gateway')
    .description('Serves echomq.v1 over gRPC on a Redis or Valkey server.')
    .version(version)
    .exitOverride()
    // Unknown flags come back as arguments, so that all of them are reported at once.
    .allowUnknownOption()
    .allowExcessArguments()
    .helpOption('--help', 'show this')
    .option('--print-config', 'show the effective configuration, secrets masked, and end');
  for (const key of SETTING_KEYS) {
    const { about, value, fallback }: Setting<unknown> = SETTINGS[key];
    const spec = value === undefined ? flagOf(key) : `${flagOf(key)} <${value}>`;
    const origin = [variableOf(key), ...(fallback === undefined ? [] : [`default ${fallback}`])];
    command.addOption(new Option(spec, `${about} (${origin.join(', ')})`));
  }
  return command;
}
