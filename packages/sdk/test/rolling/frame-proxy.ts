import { createServer, connect as dial, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

const PREFACE = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'.length;
const [HEADERS, RST_STREAM, GOAWAY, DATA] = [1, 3, 7, 0];
const END_STREAM = 1;

/** A hop that reads the frames of HTTP/2 that pass. */
export interface FrameProxy {
  readonly port: number;
  /** Connections that have passed. */
  readonly connections: readonly Seen[];
  retarget(port: number): void;
}

/** What has passed on one connection. */
export interface Seen {
  /** Streams that were open when the server said GOAWAY; absent: it has not. */
  openAtGoaway?: number;
  /** Streams that have been opened. */
  opened: number;
  readonly open: Set<number>;
}

/** Starts one, ended with the test. */
export async function frameProxy(target: number): Promise<FrameProxy> {
  const connections: Seen[] = [];
  const sockets = new Set<Socket>();
  let to = target;
  const server = createServer((client) => {
    const seen: Seen = { open: new Set(), opened: 0 };
    connections.push(seen);
    const upstream = dial(to, '127.0.0.1');
    const [fromClient, fromServer] = [frameReader(PREFACE), frameReader(0)];
    client.on('data', (bytes) => {
      for (const frame of fromClient(bytes)) noteOfClient(seen, frame);
    });
    upstream.on('data', (bytes) => {
      for (const frame of fromServer(bytes)) noteOfServer(seen, frame);
    });
    for (const [from, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.on('error', () => other.destroy());
      from.on('close', () => {
        sockets.delete(from);
        other.destroy();
      });
      from.pipe(other);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  const address = server.address();
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    connections,
    retarget: (port) => {
      to = port;
    },
  };
}

interface Frame {
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
}

/** Takes frames out of bytes as they come. */
function frameReader(skip: number): (bytes: Buffer) => Frame[] {
  let [rest, left] = [Buffer.alloc(0), skip];
  return (bytes) => {
    rest = Buffer.concat([rest, bytes]);
    if (left > 0) {
      const skipped = Math.min(left, rest.length);
      rest = rest.subarray(skipped);
      left -= skipped;
    }
    const frames: Frame[] = [];
    for (;;) {
      const length = rest.length < 9 ? Number.POSITIVE_INFINITY : 9 + rest.readUIntBE(0, 3);
      if (rest.length < length) return frames;
      const [type = 0, flags = 0] = rest.subarray(3, 5);
      frames.push({ type, flags, stream: rest.readUInt32BE(5) & 0x7fff_ffff });
      rest = rest.subarray(length);
    }
  };
}

function noteOfClient(seen: Seen, { type, stream }: Frame): void {
  if (type === HEADERS && !seen.open.has(stream)) {
    seen.open.add(stream);
    seen.opened += 1;
  } else if (type === RST_STREAM) seen.open.delete(stream);
}

function noteOfServer(seen: Seen, { type, flags, stream }: Frame): void {
  const ends = (type === HEADERS || type === DATA) && (flags & END_STREAM) !== 0;
  if (ends || type === RST_STREAM) seen.open.delete(stream);
  else if (type === GOAWAY) seen.openAtGoaway ??= seen.open.size;
}
