import { basename } from 'node:path';
import { readYaml, YamlError, type YamlText } from '../files/yaml-text.js';
import { SETTING_KEYS, type SettingKey } from './settings.js';

/** The text of a setting, and where it was given. */
export interface GivenText {
  readonly text: string;
  /** A flag, a variable, or a file with its line: what a message about it begins with. */
  readonly from: string;
}

/** What a file of settings gives. */
export interface FileSettings {
  readonly texts: ReadonlyMap<SettingKey, GivenText>;
  readonly problems: readonly string[];
}

/**
 * Reads a file of settings: a map with their keys. A list counts as its texts with commas between, a map as
 * `name=value` with commas between.
 *
 * @param path for the messages, which repeat no value
 */
export function readConfigFile(text: string, path: string): FileSettings {
  const file = basename(path);
  const texts = new Map<SettingKey, GivenText>();
  const problems: string[] = [];
  let yaml: YamlText;
  try {
    yaml = readYaml(text);
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    return {
      texts,
      problems: error.faults.map(({ line, problem }) => `${file}:${line}: ${problem}`),
    };
  }
  const { value } = yaml;
  if (value === undefined) return { texts, problems };
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { texts, problems: [`${file}:1: must be a map of settings`] };
  }
  for (const name of Object.keys(value)) {
    const from = `${file}:${yaml.lineOf([name])} ${name.slice(0, 64)}`;
    const key = SETTING_KEYS.find((candidate) => candidate === name && candidate !== 'config');
    const given = textAt(yaml, name, (value as Record<string, unknown>)[name]);
    if (key === undefined) problems.push(`${from}: no such setting`);
    else if (given === undefined) problems.push(`${from}: must be a text, a number, true or false`);
    else texts.set(key, { text: given, from });
  }
  return { texts, problems };
}

function textAt(yaml: YamlText, name: string, value: unknown): string | undefined {
  if (Array.isArray(value)) return joined(value.map((_, at) => yaml.sourceOf([name, at])));
  if (typeof value === 'object' && value !== null) {
    return joined(
      Object.keys(value).map((key) => {
        const text = yaml.sourceOf([name, key]);
        return text === undefined ? undefined : `${key}=${text}`;
      }),
    );
  }
  return yaml.sourceOf([name]);
}

function joined(texts: readonly (string | undefined)[]): string | undefined {
  return texts.every((text) => text !== undefined) ? texts.join(',') : undefined;
}
