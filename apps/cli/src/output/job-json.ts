import type { Job } from '@echomq/sdk';

/**
 * A job as a line of JSON, with more of its facts. Its data stand there as they are stored: written anew, large numbers
 * would lose digits. What cannot stand in JSON is left out, and told.
 */
export function jobJson(job: Job, more: Readonly<Record<string, unknown>> = {}): string {
  const { data, ...rest } = job.toJSON() as ReturnType<Job['toJSON']> & { readonly data?: unknown };
  const isForeign = data === undefined && job.raw.length > 0;
  const stored = data === undefined ? '' : oneLine(job.raw);
  const facts = { ...rest, ...more, ...(isForeign ? { problem: 'its data are no JSON' } : {}) };
  try {
    return withData(JSON.stringify(facts), stored);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const problem = 'its result or progress nest too deeply';
    const left = { returnvalue: undefined, progress: undefined };
    return withData(JSON.stringify({ ...facts, ...left, problem }), stored);
  }
}

/** Line ends are blanks in JSON: within its texts they cannot stand. */
function oneLine(raw: Uint8Array): string {
  return new TextDecoder().decode(raw).replaceAll(/[\r\n]+/g, ' ');
}

function withData(facts: string, stored: string): string {
  return stored === '' ? facts : `${facts.slice(0, -1)},"data":${stored}}`;
}
