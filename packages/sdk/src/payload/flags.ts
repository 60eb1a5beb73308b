import { invalid } from '../errors.js';

/** A switch, off unless it is given. @throws InvalidRequest naming `field`: a truthy text is a mistake */
export function flagOf(value: boolean | undefined, field: string): boolean {
  if (value !== undefined && typeof value !== 'boolean') {
    throw invalid(field, 'must be true or false');
  }
  return value ?? false;
}
