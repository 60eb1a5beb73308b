/** A fault that is planted in the bundled scripts: a text, and what stands in its place. */
export interface Mutant {
  readonly name: string;
  /** What goes wrong. */
  readonly what: string;
  readonly from: string;
  readonly to: string;
}

/** A text that is replaced. */
export const mutant = (name: string, what: string, from: string, to: string): Mutant => ({
  name,
  what,
  from,
  to,
});

/** A text that is left out. */
export const drop = (name: string, what: string, from: string): Mutant =>
  mutant(name, what, from, '');

/** A condition that never holds. */
export const never = (name: string, what: string, condition: string): Mutant =>
  mutant(name, what, `if ${condition} then`, 'if false then');
