import { addJob, updateJobOptions as replaceOptions } from '@echomq/core';
import type { JobsOptions } from 'bullmq';
import type { OracleCase, SeedStates, TransitionCases } from '../oracle/oracle-case.js';
import { DATA, META, newJob, parentJson, stored, storedOptions } from './jobs.js';

/** BullMQ changes no options: the job must be as if it had been added with the new ones. */
function optionsCase(
  name: string,
  optionsOf: (parent: JobsOptions['parent'] & object) => { old: JobsOptions; new: JobsOptions },
  other?: SeedStates['other'],
): OracleCase {
  return {
    name,
    seed: () => ({ main: { meta: META }, ...(other ? { other } : {}) }),
    echomq: async ({ store, queue, names }) => {
      const options = optionsOf({ id: 'p', queue: names.other });
      const { jobId } = await addJob(store, queue, newJob(options.old));
      const texts = (set: JobsOptions) => ({
        opts: JSON.stringify(storedOptions(set)),
        ...(set.parent ? { parent: parentJson(set) } : {}),
      });
      const [before, after] = [texts(options.old), texts(options.new)];
      await replaceOptions(store, queue, {
        jobId,
        ...after,
        readOpts: Buffer.from(before.opts),
        ...(before.parent ? { readParent: Buffer.from(before.parent) } : {}),
      });
    },
    bullmq: async ({ queue, names }) => {
      await queue.add('send', DATA, optionsOf({ id: 'p', queue: names.other }).new);
    },
  };
}

/** Options changed after the add. */
export const updateJobOptions: TransitionCases = {
  transition: 'updateJobOptions',
  cases: [
    optionsCase('as if added with them', () => ({
      old: { attempts: 1 },
      new: { attempts: 3, backoff: { type: 'fixed', delay: 5 }, removeOnComplete: true },
    })),
    optionsCase(
      'of a child, with another policy',
      (parent) => ({
        old: { parent, failParentOnFailure: true },
        new: { parent, ignoreDependencyOnFailure: true },
      }),
      { meta: META, 'waiting-children': { p: 5 }, jobs: { p: stored() } },
    ),
  ],
};
