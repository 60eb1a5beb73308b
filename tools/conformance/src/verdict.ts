/** `must`: a worker that fails it loses or doubles work, or harms the gateway. `should`: it is a worse worker. */
export type Grade = 'must' | 'should';

/** The worker did what the protocol forbids, or did not do what it demands. The message says what was seen. */
export class Violation extends Error {
  override readonly name = 'Violation';
}

/** How a worker did in one case. */
export interface Verdict {
  readonly id: string;
  readonly grade: Grade;
  /** What the protocol asks for. */
  readonly rule: string;
  readonly passed: boolean;
  /** What the worker did, in words. */
  readonly seen: string;
  /** How long the case took, ms. */
  readonly ms: number;
  /** What went over the streams, one line each; only for a case that failed. */
  readonly transcript?: readonly string[];
  /** The last lines that the worker printed; only for a case that failed. */
  readonly output?: readonly string[];
}
