import { Refusal } from '../http/answer.js';

/** What a view is asked with, read by type. What is absent is empty. */
export class Fields {
  constructor(private readonly given: Readonly<Record<string, unknown>>) {}

  /** A text. @throws Refusal */
  text(name: string): string {
    const value = this.given[name] ?? '';
    if (typeof value !== 'string') throw wrong(name, 'must be a text');
    return value;
  }

  /** Milliseconds since the epoch. @throws Refusal */
  instant(name: string): number | undefined {
    const value = this.given[name];
    if (value === undefined || value === null) return undefined;
    if (typeof value !== 'number' || !Number.isFinite(value)) throw wrong(name, 'must be a number');
    return value;
  }
}

/** The refusal of a field. */
export function wrong(name: string, problem: string): Refusal {
  return new Refusal(400, 'INVALID_ARGUMENT', 'INVALID_FIELD', `${name}: ${problem}`);
}
