import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { JobRow, Jobs } from './answers.js';
import { type Refused, showOne } from './ask.js';

/** What is looked for. Times in ms since the epoch. */
export interface Search {
  readonly name: string;
  readonly from?: number;
  readonly to?: number;
}

/** The rows of a list as far as they were read. */
export interface JobsSoFar {
  readonly rows: readonly JobRow[];
  /** There are more behind them. */
  readonly more: boolean;
  readonly loading: boolean;
  /** Jobs that a search has looked at. */
  readonly lookedAt: number;
  readonly problem: Refused | undefined;
}

const NONE: JobsSoFar = { rows: [], more: false, loading: true, lookedAt: 0, problem: undefined };

/** A search that finds little stops after so many answers, until somebody says to go on. */
const ROUNDS = 10;
/** Rows that a search wants before it stops by itself. */
const ENOUGH = 50;

/**
 * The jobs of a list, read by cursor. Without a search the first page comes with each poll ({@link JobList.renew}); a
 * search is read once, as it costs more.
 */
export function useJobs(queue: string, state: string, search: Search) {
  const [jobs, setJobs] = useState<JobsSoFar>(NONE);
  const token = useRef('');
  const busy = useRef(false);
  const searching = search.name !== '' || search.from !== undefined || search.to !== undefined;
  const key = JSON.stringify([queue, state, search]);
  const current = useRef(key);
  current.current = key;

  const read = useCallback(
    async (first: boolean) => {
      if (busy.current) return;
      busy.current = true;
      const mine = key;
      if (first) token.current = '';
      setJobs((before) => ({ ...(first ? NONE : before), loading: true, problem: undefined }));
      try {
        let found = 0;
        for (let round = 0; round < ROUNDS; round++) {
          const fields = { queue, state, ...search, pageToken: token.current };
          const page = await showOne('jobs', fields);
          if (current.current !== mine) return;
          token.current = page.nextPageToken;
          found += page.jobs.length;
          setJobs((before) => ({
            ...before,
            rows: [...before.rows, ...page.jobs],
            more: page.nextPageToken !== '',
            lookedAt: before.lookedAt + page.lookedAt,
          }));
          if (page.nextPageToken === '' || found >= ENOUGH) break;
        }
      } catch (error) {
        if (current.current === mine)
          setJobs((before) => ({ ...before, problem: error as Refused }));
      } finally {
        if (current.current === mine) {
          busy.current = false;
          setJobs((before) => ({ ...before, loading: false }));
        }
      }
    },
    // What is looked for is in the key.
    [key],
  );

  useEffect(() => {
    busy.current = false;
    setJobs(NONE);
    token.current = '';
    if (searching) void read(true);
  }, [read, searching]);

  /** Puts a fresh first page in the place of all rows. */
  const renew = useCallback(
    (page: Jobs) => {
      if (current.current !== key || busy.current) return;
      token.current = page.nextPageToken;
      setJobs({ ...NONE, rows: page.jobs, more: page.nextPageToken !== '', loading: false });
    },
    [key],
  );
  return { jobs, searching, renew, readMore: () => void read(false), again: () => void read(true) };
}

/** A list as {@link useJobs} gives it. */
export type JobList = ReturnType<typeof useJobs>;
