import { type NamedBackoff, scriptBackoffs } from '@echomq/engine';
import { commaList, type Parser } from './parsers.js';

const FORM =
  'must be name=wait/wait/… or name=fixed|exponential base=… factor=… max=… jitter=…, waits in ms, with commas between';

/** Named backoffs: `tides=1000/5000/60000,slow=exponential base=1000 factor=3 max=60000 jitter=0.5`. */
export const namedBackoffs: Parser<Readonly<Record<string, NamedBackoff>>> = (text) => {
  if (text.trim() === '') return {};
  const backoffs: Record<string, NamedBackoff> = {};
  for (const part of commaList(text)) {
    const [, name = '', rule = ''] = /^([\w.-]{1,64})=(.+)$/.exec(part) ?? [];
    if (name === '') throw new Error(FORM);
    if (Object.hasOwn(backoffs, name)) throw new Error(`the backoff ${name} stands there twice`);
    backoffs[name] = backoffOf(rule.trim());
  }
  try {
    scriptBackoffs(backoffs);
  } catch (error) {
    throw new Error((error as Error).message.replace(/^backoffs\./, ''));
  }
  return backoffs;
};

function backoffOf(rule: string): NamedBackoff {
  if (/^\d+(\/\d+)*$/.test(rule)) return rule.split('/').map(Number);
  const [type, ...members] = rule.split(/\s+/);
  if (type !== 'fixed' && type !== 'exponential') throw new Error(FORM);
  const given = Object.fromEntries(members.map(memberOf));
  const { base, factor, max, jitter, ...others } = given;
  if (base === undefined || Object.keys(others).length > 0) throw new Error(FORM);
  return {
    type,
    baseMs: base,
    ...(factor === undefined ? {} : { factor }),
    ...(max === undefined ? {} : { maxMs: max }),
    ...(jitter === undefined ? {} : { jitter }),
  };
}

function memberOf(text: string): [string, number] {
  const [, name = '', value] = /^([a-z]+)=(\d+(?:\.\d+)?)$/.exec(text) ?? [];
  if (name === '') throw new Error(FORM);
  return [name, Number(value)];
}
