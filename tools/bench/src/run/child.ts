import { OPEN } from '../contenders/index.js';
import { MEASURES } from '../measures/index.js';
import { RedisMeter } from './redis-meter.js';
import { ANSWER, type RunAnswer, type RunSpec } from './spec.js';

/** The process of one run: nothing that an earlier run has compiled, cached or left on the heap counts here. */
async function run(spec: RunSpec): Promise<RunAnswer> {
  const { contender, measure, params, place } = spec;
  const redis = new RedisMeter(place.redisPort);
  try {
    const open = (queue = place.queue) =>
      OPEN[contender]({ ...place, queue }, { remove: params.remove ?? false });
    return { figures: await MEASURES[measure]({ place, params, redis, open }) };
  } catch (error) {
    return { problem: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  } finally {
    redis.close();
  }
}

const answer = await run(JSON.parse(process.argv[2] ?? '') as RunSpec);
process.stdout.write(`${ANSWER}${JSON.stringify(answer)}\n`, () => process.exit());
