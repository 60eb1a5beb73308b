import { Command, CommanderError, Option } from 'commander';
import { type GivenText, readConfigFile } from './config-file.js';
import type { Setting } from './setting.js';
import { flagOf, SETTING_KEYS, SETTINGS, type SettingKey, variableOf } from './settings.js';

/** What was given, as text, before anything is checked. */
export interface GivenSettings {
  /** The texts, each with where it came from; absent: nobody gave it. */
  readonly texts: ReadonlyMap<SettingKey, GivenText>;
  /** What cannot be a setting at all. */
  readonly problems: readonly string[];
  /** The text that `--help` or `--version` asks for; nothing else counts then. */
  readonly print?: string;
  /** `--print-config` was given. */
  readonly printConfig: boolean;
}

/** Where settings are looked for. */
export interface SettingSources {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The arguments alone, without node and script. */
  readonly argv: readonly string[];
  /** The version for `--version`. */
  readonly version: string;
  /** The text of the file that `config` names; throws where it cannot be read. */
  readonly readText: (path: string) => string;
}

/**
 * Gathers the texts of all settings: a flag goes before its variable, that before the file, an empty variable counts as
 * absent.
 */
export function readSettings({ env, argv, version, readText }: SettingSources): GivenSettings {
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
  const texts = new Map<SettingKey, GivenText>();
  for (const key of SETTING_KEYS) {
    const flag = flags[key];
    const variable = env[variableOf(key)];
    if (flag !== undefined) texts.set(key, { text: String(flag), from: flagOf(key) });
    else if (variable) texts.set(key, { text: variable, from: variableOf(key) });
  }
  problems.push(...addFile(texts, readText));
  return { texts, problems, printConfig: flags.printConfig === true };
}

/** Adds what the file gives and nobody else does. Returns what is wrong with it. */
function addFile(
  texts: Map<SettingKey, GivenText>,
  readText: SettingSources['readText'],
): readonly string[] {
  const named = texts.get('config');
  if (named === undefined) return [];
  let text: string;
  try {
    text = readText(named.text);
  } catch {
    return [`${named.from}: the file cannot be read`];
  }
  const file = readConfigFile(text, named.text);
  for (const [key, given] of file.texts) if (!texts.has(key)) texts.set(key, given);
  return file.problems;
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
