import { type GatewayConfig, toConfig } from './gateway-config.js';
import { conflicts } from './settings/conflicts.js';
import { type GivenSettings, readSettings } from './settings/read-settings.js';
import type { Setting } from './settings/setting.js';
import {
  SETTING_KEYS,
  SETTINGS,
  type SettingKey,
  type Values,
  variableOf,
} from './settings/settings.js';

/** What the command line asks for. */
export type Loaded =
  | {
      readonly kind: 'run';
      readonly config: GatewayConfig;
      /** Each setting by its key, as text fit to be logged. */
      readonly shown: Readonly<Record<string, string>>;
    }
  | { readonly kind: 'print'; readonly text: string };

/** The configuration is wrong. The message has a line for each problem and repeats no value. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';

  constructor(readonly problems: readonly string[]) {
    super(problems.join('\n'));
  }
}

/** What {@link loadConfig} reads; it reads nothing else. */
export interface ConfigSources {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The arguments alone, without node and script. */
  readonly argv?: readonly string[];
  /** The version for `--version`. */
  readonly version?: string;
  /** Whether a file can be read; absent: not checked. */
  readonly readable?: (path: string) => boolean;
  /** The text of a file of settings; throws where it cannot be read. Absent: there are no files. */
  readonly readText?: (path: string) => string;
}

/**
 * From environment and arguments to a frozen configuration. Pure.
 *
 * @throws ConfigError with every problem, not only the first.
 */
export function loadConfig(sources: ConfigSources): Loaded {
  const { env, argv = [], version = '0.0.0', readText = noFiles } = sources;
  const given = readSettings({ env, argv, version, readText });
  if (given.print !== undefined) return { kind: 'print', text: given.print };
  const { values, problems } = parseAll(given, sources.readable);
  const nameOf = (key: SettingKey) => given.texts.get(key)?.from ?? variableOf(key);
  const all = [...given.problems, ...problems, ...conflicts(values, nameOf)];
  if (all.length > 0) throw new ConfigError(all);
  const shown = show(given);
  if (given.printConfig) return { kind: 'print', text: `${JSON.stringify(shown, null, 2)}\n` };
  return { kind: 'run', config: toConfig(values as Values), shown };
}

function noFiles(): never {
  throw new Error('no files here');
}

function parseAll(given: GivenSettings, readable: (path: string) => boolean = () => true) {
  const values: Partial<Record<SettingKey, unknown>> = {};
  const problems: string[] = [];
  for (const key of SETTING_KEYS) {
    const { parse, fallback, file }: Setting<unknown> = SETTINGS[key];
    const { text, from } = given.texts.get(key) ?? { text: fallback, from: variableOf(key) };
    if (text === undefined) continue;
    try {
      values[key] = parse(text);
      const named = typeof file === 'function' ? file(text) : file === true;
      // The file of settings has been read already, or blamed.
      if (named && key !== 'config' && !readable(text))
        problems.push(`${from}: the file cannot be read`);
    } catch (error) {
      problems.push(`${from}: ${(error as Error).message}`);
    }
  }
  return { values: values as Partial<Values>, problems };
}

function show(given: GivenSettings): Record<string, string> {
  const entries = SETTING_KEYS.flatMap((key) => {
    const { fallback, mask = (text: string) => text }: Setting<unknown> = SETTINGS[key];
    const text = given.texts.get(key)?.text ?? fallback;
    return text === undefined ? [] : [[key, mask(text)] as const];
  });
  return Object.fromEntries(entries);
}
