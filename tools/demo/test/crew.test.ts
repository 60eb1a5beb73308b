import { expect, it } from 'vitest';
import { Crew } from '../src/crew.js';
import type { Running } from '../src/processes.js';

it('gives up a worker that is still starting when the crew closes', async () => {
  const given: string[] = [];
  const stage = {
    startWorker: (name: string, _language: string, signal: AbortSignal) =>
      new Promise<Running>((_resolve, reject) => {
        if (name === 'broken') return reject(new Error('broken'));
        signal.addEventListener('abort', () => {
          given.push(name);
          reject(signal.reason);
        });
      }),
  };
  const lost: Error[] = [];
  const crew = new Crew(stage, (error) => lost.push(error));
  const slow = expect(crew.hire('slow', 'ts')).rejects.toThrow('the crew closes');
  await expect(crew.hire('broken', 'ts')).rejects.toThrow('broken');
  expect(await crew.close()).toEqual([]);
  await slow;
  expect(given).toEqual(['slow']);
  expect(lost).toEqual([]);
});
