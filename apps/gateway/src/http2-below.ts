import type { ServerHttp2Stream } from 'node:http2';

/** A call, or what an interceptor has put round it, as far as grpc-js lets it be seen. */
interface Layer {
  readonly stream?: ServerHttp2Stream;
  readonly call?: Layer;
  readonly nextCall?: Layer;
}

/** More layers than interceptors ever put round a call. */
const MAX_DEPTH = 10;

/**
 * The HTTP/2 stream below a call of grpc-js 1.14. It is no public part of a call: where it is not found, `undefined`, and
 * the caller must do without.
 */
export function streamBelow(call: unknown): ServerHttp2Stream | undefined {
  let layer = call as Layer | undefined;
  for (let depth = 0; layer && depth < MAX_DEPTH; depth += 1) {
    if (layer.stream) return layer.stream;
    layer = layer.call ?? layer.nextCall;
  }
  return undefined;
}
