import type { WorkReport } from '@echomq/proto/messages';
import { digest } from './digest.js';
import { bodyOf } from './request-body.js';

/** The memory of a session and the receipt ask for the same one. */
const known = new WeakMap<WorkReport, string>();

/** The digest of what a report says, all but its number: two reports with one number must have the same. */
export function reportDigest(report: WorkReport): string {
  const found = known.get(report);
  if (found !== undefined) return found;
  const made = digest(bodyOf.report(report));
  known.set(report, made);
  return made;
}
