import { invalid } from '../errors.js';

/**
 * Refuses a member that is misspelt or not offered, which would be ignored without a word otherwise.
 *
 * @param what what the members belong to, for the message: `an option of a job`
 * @throws InvalidRequest naming the member
 */
export function checkNames(
  given: object,
  known: ReadonlySet<string>,
  at: { readonly field: string; readonly what: string },
): void {
  if (typeof given !== 'object' || given === null) throw invalid(at.field, 'must be an object');
  const unknown = Object.keys(given).find((name) => !known.has(name));
  if (unknown !== undefined) throw invalid(`${at.field}.${unknown}`, `is not ${at.what}`);
}

/** Refuses what is no list, with a name instead of a TypeError. @throws InvalidRequest naming `field` */
export function checkList(given: readonly unknown[], field: string): void {
  if (!Array.isArray(given)) throw invalid(field, 'must be an array');
  const hole = given.findIndex((item) => typeof item !== 'object' || item === null);
  if (hole >= 0) throw invalid(`${field}[${hole}]`, 'must be an object');
}
