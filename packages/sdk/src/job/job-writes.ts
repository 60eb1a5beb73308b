import { randomUUID } from 'node:crypto';
import type { Connection } from '../connection.js';
import { encodeJson } from '../payload/encode.js';
import { uint32Of } from '../payload/numbers.js';
import type { JobName } from './job-calls.js';

/** Sets the progress of a job, whoever holds it. @throws InvalidRequest for what JSON cannot hold; JobNotFound */
export async function setProgress(
  connection: Connection,
  job: JobName,
  progress: unknown,
): Promise<Buffer> {
  const bytes = encodeJson(progress, 'progress');
  await connection.call('queue', 'setJobProgress', { ...job, progress: bytes });
  return bytes;
}

/** Replaces the payload of a job, whoever holds it. @throws InvalidRequest, PayloadTooLarge, JobNotFound */
export async function setData(
  connection: Connection,
  job: JobName,
  data: unknown,
): Promise<Buffer> {
  const bytes = encodeJson(data, 'data');
  await connection.call('queue', 'setJobData', { ...job, data: bytes });
  return bytes;
}

/**
 * Appends a line to the log of a job, whoever holds it.
 *
 * @param keep lines that stay, the newest; absent: as the job's options say
 * @returns how many lines there are now
 * @throws InvalidRequest, PayloadTooLarge, JobNotFound
 */
export async function addLog(
  connection: Connection,
  job: JobName,
  line: { readonly text: string; readonly keep?: number | undefined },
): Promise<number> {
  const keep = uint32Of(line.keep, 'keepLogs');
  const request = { ...job, lines: [line.text], keep, requestId: randomUUID() };
  return (await connection.call('queue', 'addJobLogs', request)).total;
}

/** Removes all lines of a job's log but the newest `keepLogs`. @throws InvalidRequest, JobNotFound */
export async function clearLogs(
  connection: Connection,
  job: JobName,
  keepLogs: number,
): Promise<void> {
  await connection.call('queue', 'clearJobLogs', {
    ...job,
    keep: uint32Of(keepLogs, 'keepLogs') ?? 0,
  });
}

/** Cuts the tie of a job to its parent. False where there is none. @throws JobNotFound */
export async function cutFromParent(connection: Connection, job: JobName): Promise<boolean> {
  return (await connection.call('queue', 'removeChildDependency', job)).removed;
}

/** Removes a job's children that have not finished. Returns how many jobs went. @throws JobNotFound */
export async function removePending(connection: Connection, job: JobName): Promise<number> {
  return (await connection.call('queue', 'removeUnprocessedChildren', job)).removed;
}
