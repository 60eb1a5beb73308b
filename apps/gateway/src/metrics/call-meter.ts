import { status as codes } from '@grpc/grpc-js';
import type { CallWatcher } from '../watching/watch-calls.js';
import type { Instruments } from './instruments.js';

/** Counts calls. The paths are those of methods that are served: a server tells of no others. */
export function callMeter(metrics: Instruments): CallWatcher {
  const labels = new Map<string, { readonly method: string }>();
  return ({ path, streams }) => {
    let label = labels.get(path);
    if (!label) {
      label = { method: path.slice(path.indexOf('.v1.') + 4) };
      labels.set(path, label);
    }
    const { method } = label;
    metrics.echomq_rpc_in_progress.inc(label);
    return ({ code, ms, reason }) => {
      metrics.echomq_rpc_in_progress.dec({ method });
      metrics.echomq_rpc_total.inc({ method, status: codes[code] });
      if (!streams) metrics.echomq_rpc_seconds.observe({ method }, ms / 1_000);
      if (reason !== undefined) metrics.echomq_rpc_errors_total.inc({ reason });
    };
  };
}
