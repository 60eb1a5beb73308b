/** A paragraph of the document, or a command that is run and shown with what it prints. */
export type Step = { readonly say: string } | { readonly run: string };

const say = (text: string): Step => ({ say: text.trim() });
const run = (command: string): Step => ({ run: command.trim() });

const state = [
  run('redis-cli LRANGE $Q:wait 0 -1'),
  run('redis-cli LRANGE $Q:active 0 -1'),
  run('redis-cli ZRANGE $Q:completed 0 -1 WITHSCORES'),
  run('redis-cli GET $Q:1:lock'),
  run('redis-cli GET $Q:2:lock'),
  run('redis-cli HGETALL $Q:1'),
];

/** The fourteen keys in their order, with the finished set and the job of a call. */
const keys = (target: string, id: number) =>
  `14 $Q:wait $Q:active $Q:prioritized $Q:events $Q:stalled $Q:limiter \\
    $Q:delayed $Q:paused $Q:meta $Q:pc $Q:${target} $Q:${id} $Q:metrics:${target} $Q:marker`;

/** The session, step by step. */
export const STEPS: readonly Step[] = [
  say(`
# \`moveToFinished-14\`, called by hand

One EVALSHA ends a job and fetches the next one. Nothing but \`redis-cli\` is needed: the script in
\`lua/dist\` is self-contained, and any client in any language calls it like this. What follows is a
real session in \`sh\`, made again by \`pnpm transcript\`; only the ids of stream entries are replaced,
because Redis makes them from its clock.

## Load it

The SHA is the one of [transitions.md](transitions.md).`),
  run('SHA=$(redis-cli -x SCRIPT LOAD < lua/dist/moveToFinished-14.lua)'),
  run('grep -c "moveToFinished-14.*$SHA" docs/transitions.md'),
  say(`
## Before

A queue named \`demo\`, written by hand in the layout of BullMQ: job 1 is active under the lock
\`token-1\`, job 2 waits and may be tried three times.`),
  run('Q=bull:demo'),
  run(`
redis-cli HSET $Q:1 name send data '{"to":"ada"}' opts '{"attempts":1}' \\
    timestamp 1700000000000 delay 0 priority 0 processedOn 1700000000500 ats 1`),
  run(`
redis-cli HSET $Q:2 name send data '{"to":"bob"}' \\
    opts '{"attempts":3,"backoff":{"type":"exponential","delay":1000}}' \\
    timestamp 1700000000000 delay 0 priority 0`),
  run('redis-cli LPUSH $Q:wait 2'),
  run('redis-cli LPUSH $Q:active 1'),
  run('redis-cli SET $Q:1:lock token-1 PX 600000'),
  ...state,
  say(`
## The call

Fourteen keys, then: job id, time in ms (the empty string asks Redis), the field, its value, the
target, fetch_next, the prefix, the options as msgpack. The options here are \`token: token-1\`, the
lock that is shown, \`nextToken: token-2\`, the lock of the next job, and \`lockDuration: 60000\`.`),
  run(
    `OPTIONS=$(printf '\\203\\245token\\247token-1\\251nextToken\\247token-2\\254lockDuration\\315\\352\\140')`,
  ),
  run(`
redis-cli EVALSHA $SHA ${keys('completed', 1)} \\
    1 1700000001000 returnvalue '"sent"' completed 1 $Q: "$OPTIONS"`),
  say(`
The reply is the next job: its fields, its id, the ms of a rate limit, the due time of the next
delayed job; then what became of the one that ended, the attempts made, and the delay of a retry.

## After

Job 1 is completed, job 2 active under its own lock. One step: nobody has seen a moment in between.`),
  ...state,
  run('redis-cli XRANGE $Q:events - +'),
  say(`
## A late owner changes nothing

The same call again: the lock is gone, so is the right to finish. \`-2\` is LOCK_LOST.`),
  run(`
redis-cli EVALSHA $SHA ${keys('completed', 1)} \\
    1 1700000002000 returnvalue '"twice"' completed 1 $Q: "$OPTIONS"`),
  say('The lock of job 2 is `token-2`; who shows `token-1` is told `-6`, LOCK_NOT_OWNED.'),
  run(`
redis-cli EVALSHA $SHA ${keys('completed', 2)} \\
    2 1700000002000 returnvalue '"stolen"' completed 1 $Q: "$OPTIONS"`),
  say('Neither call has written anything: the stream has the two events it had.'),
  run('redis-cli XLEN $Q:events'),
  run('redis-cli HGET $Q:1 returnvalue'),
  say(`
## A failure that has attempts left

With \`retry: { mode: DEFAULT }\` among the options the script decides from the job's own options:
attempt 1 of 3, exponential backoff from 1,000 ms. The job goes to \`delayed\` and is due at
1700000004000, which the score holds times 4096. Nothing waits, so there is no next job: the fourth
place names the time at which there will be one.`),
  run(`OPTIONS=$(printf '\\202\\245token\\247token-2\\245retry\\201\\244mode\\247DEFAULT')`),
  run(`
redis-cli EVALSHA $SHA ${keys('failed', 2)} \\
    2 1700000003000 failedReason 'mailbox full' failed 1 $Q: "$OPTIONS"`),
  run('redis-cli ZRANGE $Q:delayed 0 -1 WITHSCORES'),
  run('redis-cli HGETALL $Q:2'),
  run('redis-cli LRANGE $Q:active 0 -1'),
  say('## Every key that is there now'),
  run("redis-cli --raw KEYS '*' | sort"),
];
