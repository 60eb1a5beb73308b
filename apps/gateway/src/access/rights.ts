import { fitsGlob } from './glob.js';

/** What may be done to a queue. */
export const VERBS = ['produce', 'work', 'read', 'admin'] as const;

/** One of {@link VERBS}. */
export type Verb = (typeof VERBS)[number];

/** Some verbs on the queues that fit one of some patterns. */
export interface Grant {
  readonly queues: readonly string[];
  readonly verbs: readonly Verb[];
}

/** Verbs as bits, so that a question costs no allocation. */
export type VerbMask = number;

/** The bits of some verbs. */
export function maskOf(verbs: readonly Verb[]): VerbMask {
  return verbs.reduce((mask, verb) => mask | (1 << VERBS.indexOf(verb)), 0);
}

const ALL = maskOf(VERBS);
/** Names of which the answer is kept, per principal. */
const KNOWN_QUEUES = 1_000;
/** No queue has a longer name, braces included; what does is refused before any pattern is tried on it. */
const LONGEST_NAME = 512;

/** What one principal may do. */
export class Rights {
  /** All verbs on all queues. */
  readonly all: boolean;
  readonly #grants: readonly { readonly pattern: string; readonly mask: VerbMask }[];
  readonly #known = new Map<string, VerbMask>();
  readonly #braces: boolean;

  /**
   * @param bracesMatter false: `{orders}` and `orders` are one queue, as in a cluster
   */
  constructor(grants: readonly Grant[], bracesMatter: boolean) {
    this.#braces = bracesMatter;
    this.#grants = grants.flatMap(({ queues, verbs }) =>
      queues.map((queue) => ({ pattern: this.#plain(queue), mask: maskOf(verbs) })),
    );
    this.all = this.#grants.some(({ pattern, mask }) => /^\*+$/.test(pattern) && mask === ALL);
  }

  /** Whether at least one of the verbs is granted on a queue. */
  may(verbs: VerbMask, queue: string): boolean {
    return this.all || (this.#maskOn(queue) & verbs) !== 0;
  }

  /** Whether a verb is granted on some queue, whichever. */
  mayAnywhere(verb: Verb): boolean {
    const bit = maskOf([verb]);
    return this.#grants.some(({ mask }) => (mask & bit) !== 0);
  }

  #maskOn(queue: string): VerbMask {
    const known = this.#known.get(queue);
    if (known !== undefined) return known;
    if (queue.length > LONGEST_NAME) return 0;
    const name = this.#plain(queue);
    let mask = 0;
    for (const grant of this.#grants) if (fitsGlob(grant.pattern, name)) mask |= grant.mask;
    if (this.#known.size >= KNOWN_QUEUES) this.#known.clear();
    this.#known.set(queue, mask);
    return mask;
  }

  #plain(name: string): string {
    return !this.#braces && name.startsWith('{') && name.endsWith('}') ? name.slice(1, -1) : name;
  }
}
