import type { Rejection } from './rejections.js';

/** How an argument travels: text as it is, a number in decimal, a flag as 1 or 0, or msgpack. */
export type ArgumentType =
  | 'string'
  | 'bytes'
  | 'text'
  | 'json'
  | 'int'
  | 'ms'
  | 'flag'
  | 'pack'
  | 'strings...';

/** An argument in its position. Of the type `strings...` there is at most one, the last. */
export interface Argument<Name extends string = string> {
  readonly name: Name;
  readonly type: ArgumentType;
}

declare const contract: unique symbol;

/** A script of lua/ with its signature. */
export interface Script<
  Keys = object,
  Args = object,
  Name extends string = string,
  Reason extends Rejection = Rejection,
> {
  readonly name: Name;
  /** NAME-KEYCOUNT: the script's first line, and its file's name in dist/. */
  readonly file: string;
  readonly kind: 'transition' | 'query';
  /** The names of the keys: KEYS[1] first. */
  readonly keys: readonly string[];
  /** The arguments: ARGV[1] first. */
  readonly args: readonly Argument[];
  /** The rejections that the script can return. */
  readonly rejects: readonly Reason[];
  /** SHA-1 of `source`, for EVALSHA. */
  readonly sha: string;
  readonly source: string;
  /** Carries the types of keys and arguments; no value has it. */
  readonly [contract]?: { readonly keys: Keys; readonly args: Args };
}

/** The keys that a script wants. */
export type ScriptKeys<S extends Script> = NonNullable<S[typeof contract]>['keys'];

/** The arguments that a script wants. */
export type ScriptArgs<S extends Script> = NonNullable<S[typeof contract]>['args'];

/** The rejections that a script can return. */
export type ScriptRejection<S extends Script> = S['rejects'][number];

/** A script as it is written down: the names of keys and arguments are those of its types. */
export interface Definition<Keys, Args, Name, Reasons extends readonly Rejection[]> {
  readonly name: Name;
  readonly file: string;
  readonly kind: 'transition' | 'query';
  readonly keys: readonly (keyof Keys & string)[];
  readonly args: readonly Argument<keyof Args & string>[];
  readonly rejects: Reasons;
  readonly sha: string;
  readonly source: string;
}

/** Ties a script to the types of its keys and arguments. Two steps, so that the rest is inferred. */
export function defineScript<Keys, Args>() {
  return <const Name extends string, const Reasons extends readonly Rejection[]>(
    definition: Definition<Keys, Args, Name, Reasons>,
  ): Script<Keys, Args, Name, Reasons[number]> => Object.freeze(definition);
}
