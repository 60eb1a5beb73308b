import { types } from 'node:util';
import { type InvalidRequest, invalid } from '../errors.js';

/** The gateway refuses what is nested deeper. */
const MAX_DEPTH = 128;

/** Refuses what JSON cannot hold, with the path to it. See `encodeJson` for the rules. */
export function checkEncodable(value: unknown, field: string): void {
  checkValue(value, { field, path: [], above: [] });
}

/** Where the check is. */
interface Place {
  readonly field: string;
  /** Member names and indexes from the root to here. */
  readonly path: (string | number)[];
  /** The objects from the root to here. */
  readonly above: object[];
}

function checkValue(value: unknown, at: Place): void {
  if (typeof value === 'bigint') {
    throw refusal(at, 'a BigInt has no place in JSON; send it as a string');
  }
  if (typeof value === 'number' && !Number.isFinite(value)) {
    throw refusal(at, `${value} would become null in JSON`);
  }
  if (typeof value !== 'object' || value === null) return;
  const replaced = withoutToJson(value, at);
  if (replaced === value) checkObject(value, at);
  else checkValue(replaced, at);
}

/** What stringify takes in the object's place. */
function withoutToJson(value: object, at: Place): unknown {
  if (types.isDate(value) && Number.isNaN(value.getTime())) {
    throw refusal(at, 'an invalid Date would become null in JSON');
  }
  if (!('toJSON' in value) || typeof value.toJSON !== 'function') return value;
  return value.toJSON(`${at.path.at(-1) ?? ''}`) as unknown;
}

function checkObject(value: object, at: Place): void {
  const lost = kindThatIsLost(value);
  if (lost !== undefined) throw refusal(at, `a ${lost} would become {} in JSON`);
  if (at.above.includes(value)) throw refusal(at, 'refers back to an object that holds it');
  if (at.above.length >= MAX_DEPTH) throw refusal(at, `is nested deeper than ${MAX_DEPTH} levels`);
  at.above.push(value);
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) checkMember(value[index], index, at);
  } else {
    for (const name of Object.keys(value)) {
      checkMember((value as Record<string, unknown>)[name], name, at);
    }
  }
  at.above.pop();
}

function checkMember(value: unknown, name: string | number, at: Place): void {
  at.path.push(name);
  checkValue(value, at);
  at.path.pop();
}

function kindThatIsLost(value: object): string | undefined {
  if (types.isMap(value)) return 'Map';
  if (types.isSet(value)) return 'Set';
  if (types.isPromise(value)) return 'Promise (is an await missing?)';
  if (types.isAnyArrayBuffer(value)) return 'ArrayBuffer';
  return undefined;
}

function refusal({ field, path }: Place, problem: string): InvalidRequest {
  const steps = path.map((step) =>
    typeof step === 'number' || !/^[A-Za-z_$][\w$]*$/.test(step)
      ? `[${JSON.stringify(step)}]`
      : `.${step}`,
  );
  return invalid(`${field}${steps.join('')}`, problem, 'PAYLOAD_NOT_JSON');
}
