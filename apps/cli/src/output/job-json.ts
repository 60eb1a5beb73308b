import type { Job } from '@echomq/sdk';

/** A job as a line of JSON, with more of its facts. A payload that nests too deeply to be written anew is left out, and told. */
export function jobJson(job: Job, more: Readonly<Record<string, unknown>> = {}): string {
  const facts = { ...job.toJSON(), ...more };
  try {
    return JSON.stringify(facts);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const problem = 'its data, result or progress nest too deeply';
    const left = { data: undefined, returnvalue: undefined, progress: undefined };
    return JSON.stringify({ ...facts, ...left, problem });
  }
}
