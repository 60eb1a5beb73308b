import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { playSession } from './session.js';
import { STEPS } from './steps.js';

/** The root of the repository: this file is in `tools/transcript/build` or `src`. */
export const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

const DOCUMENT = join(ROOT, 'docs/transcript-moveToFinished.md');

/** The document as it is committed. */
export function committedTranscript(): string {
  return readFileSync(DOCUMENT, 'utf8');
}

/** Plays the session; returns the document. */
export function freshTranscript(): Promise<string> {
  return playSession(ROOT, STEPS);
}

/** Writes docs/transcript-moveToFinished.md anew. */
export async function writeTranscript(): Promise<void> {
  writeFileSync(DOCUMENT, await freshTranscript());
}
