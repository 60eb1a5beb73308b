import type { ServerHttp2Session } from 'node:http2';
import { streamBelow } from '../http2-below.js';

/** What is to be done where an answer has not arrived. */
type Lost = () => void;

/**
 * Knows which answers have reached the other end of a connection: a ping that is sent after them and comes back has
 * followed them all the way. One that the connection does not survive leaves those in front of it in doubt; what they
 * brought is better given to somebody else at once than kept for a caller who may never have seen it.
 */
class DeliveryAcks {
  /** Before the ping that is under way. */
  #pinged: Lost[] = [];
  /** Since then. */
  #next: Lost[] = [];

  constructor(private readonly session: ServerHttp2Session) {}

  /** An answer has been written to the connection. */
  written(lost: Lost): void {
    this.#next.push(lost);
    if (this.#pinged.length === 0) this.#ping();
  }

  #ping(): void {
    this.#pinged = this.#next;
    this.#next = [];
    if (this.session.destroyed) {
      this.#lose();
      return;
    }
    // `false`, and the error, where pings of others are in the way: then nothing is known.
    this.session.ping((error) => {
      if (error && this.session.destroyed) this.#lose();
      else this.#pinged = [];
      if (this.#next.length > 0) this.#ping();
    });
  }

  #lose(): void {
    for (const lost of this.#pinged.splice(0)) lost();
  }
}

const ofSession = new WeakMap<ServerHttp2Session, DeliveryAcks>();

/**
 * Watches the delivery of a call's answer; called before the answer is given.
 *
 * grpc-js 1.14 tells nobody of its HTTP/2 streams: they are found below the call, and where they are not, every answer
 * counts as delivered.
 *
 * @param call the call as its handler has it
 * @returns what to call once the answer has been written, or cannot be, with what is to be done where it did not arrive
 */
export function watchDelivery(call: unknown): (lost: Lost) => void {
  const stream = streamBelow(call);
  const session = stream?.session as ServerHttp2Session | undefined;
  if (!stream || !session) return () => {};
  return (lost) => {
    // The caller gave up before all of it was sent.
    if (stream.rstCode !== 0) {
      lost();
      return;
    }
    let acks = ofSession.get(session);
    if (!acks) {
      acks = new DeliveryAcks(session);
      ofSession.set(session, acks);
    }
    acks.written(lost);
  };
}
