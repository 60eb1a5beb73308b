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

/** How the digest of a report is made. */
export type ReportDigest = (report: WorkReport) => string;

/** For a worker in this process: the SDK there gives no number to two reports, so nothing is to be told apart. */
export const nearDigest: ReportDigest = () => 'near';
