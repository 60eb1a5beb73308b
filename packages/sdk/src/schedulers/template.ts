import type * as pb from '@echomq/proto/messages';
import { invalid } from '../errors.js';
import { encodeOptions } from '../job/encode-options.js';
import type { JobsOptions } from '../job/job-options.js';
import { encodeJson } from '../payload/encode.js';
import { checkNames } from '../payload/known-names.js';
import { textOf } from '../payload/text.js';

/** What the schedule decides, or what makes no sense for a job that comes again and again. */
type NotForTemplates = 'jobId' | 'delay' | 'runAt' | 'deduplication' | 'parent';

/** What each job of a scheduler looks like. */
export interface JobTemplate<Data = unknown> {
  /** Its name; the scheduler's id by default. */
  readonly name?: string;
  /** Its payload; an empty object by default. */
  readonly data?: Data;
  /** How it is to be run and kept. */
  readonly opts?: Omit<JobsOptions, NotForTemplates>;
}

const NAMES: ReadonlySet<string> = new Set<keyof JobTemplate>(['name', 'data', 'opts']);
const REFUSED = ['jobId', 'delay', 'runAt', 'deduplication', 'parent'] as const;

/**
 * A template as the contract writes it.
 *
 * @param defaults options of the queue; what is not for templates is left out of them
 * @throws InvalidRequest naming the field below `template`
 */
export function encodeTemplate(
  template: JobTemplate<unknown>,
  defaults: JobsOptions,
): pb.JobTemplate {
  checkNames(template, NAMES, { field: 'template', what: 'a part of a template' });
  const { name = '', data, opts = {} } = template;
  const refused = REFUSED.find((option) => (opts as JobsOptions)[option] !== undefined);
  if (refused !== undefined) throw invalid(`template.opts.${refused}`, 'is not for a template');
  const under = Object.fromEntries(
    Object.entries(defaults).filter(([option]) => !(REFUSED as readonly string[]).includes(option)),
  ) as JobsOptions;
  return {
    name: textOf(name, 'template.name'),
    data: data === undefined ? Buffer.alloc(0) : encodeJson(data, 'template.data'),
    options: encodeOptions({ ...under, ...opts }, 'template.opts'),
  };
}
