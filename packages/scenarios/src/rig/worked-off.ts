import { setTimeout as sleep } from 'node:timers/promises';
import { PATIENCE_MS } from './use-rig.js';

/**
 * Waits for work of many jobs, however slow the machine is: as long as it goes on.
 *
 * @param done how much is done, asked four times a second
 * @param all what it comes to
 * @throws Error once nothing more was done for {@link PATIENCE_MS}
 */
export async function workedOff(done: () => number | Promise<number>, all: number): Promise<void> {
  let [last, since] = [await done(), performance.now()];
  while (last !== all) {
    await sleep(250);
    const now = await done();
    if (now !== last) [last, since] = [now, performance.now()];
    else if (performance.now() - since > PATIENCE_MS) {
      throw new Error(`${now} of ${all}, and nothing more for ${PATIENCE_MS} ms`);
    }
  }
}
