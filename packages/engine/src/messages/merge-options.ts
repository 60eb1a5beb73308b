import { type JobOptions, ParentFailurePolicy } from '@echomq/proto/messages';
import { type JsonMember, jsonMembers } from '../validation/json-members.js';
import { STORED } from './stored-options.js';

/** Deeper than any writer goes, and still bounded. */
const MAX_DEPTH = 10_000;

/** The members that say what a child's failure does to its parent: one of them at most is set. */
const POLICIES: ReadonlySet<string> = new Set([
  STORED.failParent,
  STORED.continueParent,
  STORED.ignoreFailure,
  STORED.removeFailed,
]);

const POLICY_FLAGS: ReadonlyMap<ParentFailurePolicy, string> = new Map([
  [ParentFailurePolicy.FAIL_PARENT, STORED.failParent],
  [ParentFailurePolicy.CONTINUE_PARENT, STORED.continueParent],
  [ParentFailurePolicy.IGNORE, STORED.ignoreFailure],
  [ParentFailurePolicy.REMOVE, STORED.removeFailed],
]);

/** The flag by which a policy is stored; `undefined` for the one that has none. */
export function policyFlag(policy: ParentFailurePolicy | undefined): string | undefined {
  return POLICY_FLAGS.get(policy ?? ParentFailurePolicy.UNSPECIFIED);
}

/**
 * A job's stored options with what is set in their place. The other members stay byte for byte, in their order; a
 * stored text that is no JSON object counts as empty.
 *
 * @param set the options to be set as they would be stored, `attempts` included even where it is not set.
 */
export function mergedOptions(
  stored: Uint8Array | undefined,
  set: Uint8Array,
  options: JobOptions,
): Buffer {
  const before = (stored && jsonMembers(stored, MAX_DEPTH)) ?? [];
  const changed = (jsonMembers(set, MAX_DEPTH) ?? []).filter(
    ({ key }) => key !== STORED.attempts || options.attempts !== undefined,
  );
  const replaced = new Set(changed.map(({ key }) => key));
  if (changed.some(({ key }) => POLICIES.has(key))) {
    for (const key of POLICIES) replaced.add(key);
  }
  return object([...before.filter(({ key }) => !replaced.has(key)), ...changed]);
}

/** What a job says of its parent, with another policy; `undefined` when the policy is not set or nothing is said. */
export function parentWithPolicy(
  parent: Uint8Array,
  policy: ParentFailurePolicy | undefined,
): string | undefined {
  const flag = policyFlag(policy);
  const members = flag === undefined ? undefined : jsonMembers(parent, MAX_DEPTH);
  if (!members) return undefined;
  const rest = object(members.filter(({ key }) => !POLICIES.has(key))).toString();
  return `${rest.slice(0, -1)}${rest === '{}' ? '' : ','}"${flag}":true}`;
}

function object(members: readonly JsonMember[]): Buffer {
  const parts = members.flatMap(({ text }, i) => (i === 0 ? [text] : [Buffer.from(','), text]));
  return Buffer.concat([Buffer.from('{'), ...parts, Buffer.from('}')]);
}
