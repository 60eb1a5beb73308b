import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { GOOD, problemsOf } from './fixture.js';

const README = readFileSync(new URL('../README.md', import.meta.url), 'utf8');

/** What a script could do with all that the block of the README declares. */
const BODY = `
local rejection = lockRejection(job, options.token)
if rejection and not force then
  return rejection
end
redis.call('DEL', lockKey(job))
redis.call('LREM', queue.wait, 1, jobId)
for _, id in ipairs(ids) do
  redis.call('LPUSH', queue.wait, id)
end
return jobId
`;

it('the declarations of the README are ones that the bundler takes', () => {
  const block = /^```lua\n([\s\S]*?)^```$/m.exec(README)?.[1] ?? '';
  expect(block).toContain('end of declarations');
  expect(problemsOf({ ...GOOD, 'lua/transitions/readmeJob-2.lua': block + BODY })).toEqual([]);
});
