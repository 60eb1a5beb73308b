import { type Bench, type Figures, insist, payloads } from '../measure.js';
import { perJob, span } from '../run/span.js';
import { inTurn } from './fill.js';

/** Jobs are added, one by one or in bulk, with so many calls under way; nobody works. */
export async function measureAdd(bench: Bench): Promise<Figures> {
  const { params, redis, place } = bench;
  const { jobs, inFlight = 1, bulk = 1, warmUp = 0 } = params;
  const opened = await bench.open();
  const items = payloads(params);
  const add = async (from: number, to: number) => {
    if (bulk === 1) return inTurn(items.slice(from, to), inFlight, (data) => opened.add(data));
    const calls = [];
    for (let at = from; at < to; at += bulk) calls.push(items.slice(at, Math.min(at + bulk, to)));
    await inTurn(calls, inFlight, (call) => opened.addBulk?.(call) ?? noBulk());
  };
  await add(0, warmUp);
  const end = await span(redis, { gateway: place.gatewayPid ?? 0 });
  await add(warmUp, items.length);
  const spent = await end();
  const { waiting } = await opened.books();
  await opened.close();
  insist(waiting === items.length, `${waiting} of ${items.length} wait`);
  return perJob(spent, jobs);
}

function noBulk(): never {
  throw new Error('this contender has no bulk add');
}
