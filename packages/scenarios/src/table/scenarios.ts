/** What is known of a scenario besides its test. */
export interface Scenario {
  readonly id: string;
  /** 1: work lost, run twice or stuck; 2: wrong or degraded; 3: a nuisance. */
  readonly severity: 1 | 2 | 3;
  /** The kind of fault. */
  readonly kind: string;
  readonly area: string;
}

/** Severity and kind of each, by area, in their order from T001 on. */
const AREAS: Readonly<Record<string, readonly (readonly [1 | 2 | 3, string])[]>> = {
  'Lease, stall and finish races': [
    [1, 'sweep vs activation'],
    [1, 'finish vs stalled sweep'],
    [1, 'finish vs stalled sweep'],
    [1, 'lease lost -> stuck active'],
    [1, 'stall limit with manual fetch'],
    [2, 'operator action vs running job'],
    [3, 'double transition'],
    [1, 'lease lost mid-run'],
    [1, 'drain stops renewals'],
    [1, 'rescue overwrites finish'],
    [1, 'active without lease'],
    [2, 'active without data'],
    [2, 'lease expiry vs retries'],
    [2, 'finish of unknown lease'],
    [1, 'overlap without notice'],
    [2, 'endless stall loop'],
    [2, 'mass recovery starves new work'],
    [1, 'finish error swallowed'],
    [1, 'recovery vs live owner'],
  ],
  'Idle worker with work waiting; wake-ups': [
    [1, 'wake-up lost'],
    [1, 'blocking wait never returns'],
    [1, 'shorter delay behind longer'],
    [2, 'bulk add wakes one worker'],
    [2, 'resume no-op'],
    [2, 'limiter never reopens'],
    [1, 'global cap exceeded'],
  ],
  'Reconnect, failover, scripts': [
    [1, 'reconnect'],
    [1, 'failover during blocking wait'],
    [1, 'partition during blocking wait'],
    [1, 'connection reset'],
    [2, 'close while reconnecting'],
    [1, 'start while store/DNS is down'],
    [1, 'script cache lost'],
    [3, 'double round trip for ever'],
    [1, 'read-only after failover'],
    [1, 'cluster redirect loop'],
    [1, 'silent bulk failure'],
    [1, 'auto-pipelining groups by wrong argument'],
    [2, 'busy loop'],
    [2, 'call without deadline'],
  ],
  'Cluster, keys, names, ids': [
    [1, 'cross slot'],
    [1, 'cross slot in flows'],
    [2, 'braces in names'],
    [2, 'undeclared keys'],
    [2, 'numeric ids'],
    [2, '":" in ids'],
    [1, 'id collision with counter'],
    [2, 'one bad name breaks listing'],
    [2, 'control characters'],
  ],
  'Parents and children': [
    [1, 'parent never released'],
    [1, 'parent never released'],
    [1, 'existing child id'],
    [1, 'shared child'],
    [1, 'fail-parent + auto-remove'],
    [1, 'stall-failed child'],
    [2, 'removing trees'],
    [2, 'parent retries'],
  ],
  Schedules: [
    [1, 'duplicate iterations'],
    [1, 'schedule dies'],
    [2, 'pending iteration deleted'],
    [2, 'DST'],
    [2, 'long interval vs restarts'],
    [2, 'fixed id blocked by old failure'],
  ],
  Deduplication: [
    [1, 'dedup key deleted by old job'],
    [2, 'dedup key outlives job'],
    [2, 'expired record blocks id'],
  ],
  'Priority, rate, delay, attempts': [
    [2, 'priority vs none'],
    [2, 'delay loses order options'],
    [2, 'limit overshoot'],
    [2, 'attempt counting'],
    [1, 'attempts in finish-and-fetch path'],
    [2, 'backoff overflow'],
    [1, 'changed delay'],
    [3, 'pause and delays'],
    [2, 'bad numbers'],
    [2, 'clock skew'],
    [1, 'overdue burst'],
    [3, 'counts while paused'],
  ],
  'Retention, events, metrics, memory': [
    [2, 'pruning tied to outcome'],
    [2, 'pruning by foreign option'],
    [2, 'leftovers'],
    [2, 'unbounded events'],
    [3, 'events x queues'],
    [1, 'missed completions'],
    [1, 'wait for result hangs'],
    [2, 'metrics with manual fetch'],
    [2, 'stack traces'],
    [1, 'memory growth idle'],
    [2, 'listener throws'],
    [2, 'listing loads payloads'],
    [2, 'silent cap'],
  ],
  'Memory limit, size, payload types': [
    [1, 'store full'],
    [2, 'payload limit'],
    [2, 'binary bloat'],
    [1, 'poison by size'],
    [1, 'over-size both ways'],
    [3, '4 MB default'],
    [3, 'misleading size error'],
    [2, 'retrying the hopeless'],
    [2, '64-bit integers'],
    [3, 'empty bytes'],
    [2, 'result types across languages'],
    [3, 'BigInt'],
  ],
  'gRPC gateway, streams, workers over the wire': [
    [1, 'dead waiter gets the job'],
    [1, 'reply lost after activation'],
    [1, 'zombie worker'],
    [1, 'idle stream cut by proxy'],
    [1, 'reconnect loses running work'],
    [1, 'remote cancel = exit'],
    [1, 'push overload'],
    [1, 'server buffers without bound'],
    [2, 'stream objects leak'],
    [1, 'graceful stop never ends'],
    [1, 'graceful stop cuts unary'],
    [1, 'write to dead stream crashes'],
    [2, 'bad message kills stream silently'],
    [2, 'ping policy'],
    [2, 'stream cap per connection'],
    [2, 'non-ASCII status text'],
    [3, 'certificate reload'],
    [1, 'key slot leak'],
  ],
  Shutdown: [
    [1, 'close drops failure'],
    [2, 'give back at exit'],
    [2, 'enqueue during drain'],
    [2, 'handle leak'],
  ],
  'Auth and permissions': [
    [1, 'token expiry mid-run'],
    [1, 'transient auth refusal kills worker'],
    [3, 'least privilege'],
  ],
  'Updates that race with removal or ownership': [
    [1, 'update re-creates removed job'],
    [1, 'ex-owner writes'],
  ],
};

let count = 0;

/** All scenarios, T001 to T130. */
export const SCENARIOS: readonly Scenario[] = Object.entries(AREAS).flatMap(([area, scenarios]) =>
  scenarios.map(([severity, kind]) => {
    count += 1;
    return { id: `T${`${count}`.padStart(3, '0')}`, severity, kind, area };
  }),
);
