import { type Check, checkBooks, type Records } from './books.js';
import { compareResults } from './checksums.js';
import { checkLanguages, jobsByLanguage } from './languages.js';
import type { Stage } from './stage.js';
import type { Worked } from './work.js';

/** Reads the books from Redis itself and checks them, then the results against the files. */
export async function readRecords(
  { queue, stored, languages }: Stage,
  { added, killed, log }: Worked,
  signal: AbortSignal,
): Promise<{ readonly records: Records; readonly checks: readonly Check[] }> {
  await log.readOn();
  const { hashes, locks } = await stored.keysOfJobs();
  const { completed, failed } = await queue.getJobCounts('completed', 'failed');
  const records: Records = {
    added,
    killed,
    hashes,
    locks,
    ids: await stored.ids(),
    jobs: await stored.jobs(added.map(({ id }) => id)),
    told: { completed, failed },
    firstTaken: log.firstTaken,
    addedBefore: log.addedBefore,
    returned: log.returned,
    languages,
  };
  const { compared, changed, problems } = await compareResults(added, records.jobs, signal);
  const apart = changed > 0 ? `, ${changed} files changed meanwhile and left out` : '';
  return {
    records,
    checks: [
      ...checkBooks(records),
      checkLanguages(jobsByLanguage(records.jobs.values(), languages)),
      { what: `${compared} results have the SHA-256 computed apart${apart}`, problems },
    ],
  };
}
