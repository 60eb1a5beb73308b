import {
  hasHashTag,
  InvalidRequest,
  QueueKeys,
  type QueueTag,
  storedQueueName,
} from '@echomq/core';

/** A queue as a call named it. */
export interface NamedQueue {
  /** As the client gave it: answers repeat it. */
  readonly name: string;
  readonly keys: QueueKeys;
}

/** From names to keys: checks a name once and keeps what it found, for a bounded number of names. */
export class QueueNames {
  readonly #known = new Map<string, NamedQueue>();

  constructor(
    readonly prefix: string,
    private readonly cluster: boolean,
    private readonly tag: QueueTag,
  ) {}

  /**
   * The queue of that name.
   *
   * @param field the request's field, for the message.
   * @throws InvalidRequest for a name outside the rules of docs/protocol.md.
   */
  resolve(name: string, field = 'queue'): NamedQueue {
    const known = this.#known.get(name);
    if (known) return known;
    checkQueueName(name, field);
    const stored = storedQueueName(name, this.prefix, this.cluster && this.tag === 'auto');
    if (this.cluster && this.tag === 'never' && !hasHashTag(`${this.prefix}:${name}`)) {
      throw new InvalidRequest(field, 'in this cluster a queue name needs braces, as in {orders}');
    }
    const queue = { name, keys: new QueueKeys(this.prefix, stored) };
    if (this.#known.size >= 10_000) this.#known.clear();
    this.#known.set(name, queue);
    return queue;
  }
}

/** 1 to 128 characters, not blank, no colon, no control characters, braces only around the whole. */
function checkQueueName(name: string, field: string): void {
  const refuse = (problem: string) => {
    throw new InvalidRequest(field, problem);
  };
  if (name.trim() === '') refuse('must not be empty or blank');
  if ([...name].length > 128) refuse('must have at most 128 characters');
  if (name.includes(':')) refuse('must not contain a colon');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
  if (/[\u0000-\u001f\u007f]/.test(name) || !name.isWellFormed()) {
    refuse('must not contain control characters or lone surrogates');
  }
  const inner = name.startsWith('{') && name.endsWith('}') ? name.slice(1, -1) : name;
  if (inner.trim() === '' || /[{}]/.test(inner))
    refuse('braces may only stand around the whole name');
}
