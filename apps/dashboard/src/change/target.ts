/** What a change is made to, for the log. Absent: it names none. */
export interface Target {
  readonly queue?: string;
  readonly jobId?: string;
  readonly schedulerId?: string;
}

/** Nobody has checked them yet: no more of a name than this is told. */
const LENGTH = 256;

/** What the body of a change names. */
export function targetOf(body: Readonly<Record<string, unknown>>): Target {
  const { queue, jobId, schedulerId } = body;
  return { ...named({ queue }), ...named({ jobId }), ...named({ schedulerId }) };
}

function named(names: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  const texts = Object.entries(names).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string' && entry[1] !== '',
  );
  return Object.fromEntries(texts.map(([name, text]) => [name, text.slice(0, LENGTH)]));
}
