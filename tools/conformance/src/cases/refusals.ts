import { type StatusObject, status } from '@grpc/grpc-js';
import { bareEnd, endOf } from '../gateway/statuses.js';
import { seconds } from '../gateway/transcript.js';
import { expectThat, type Stage } from '../stage.js';
import type { Case } from './case.js';

/**
 * Attempts that a worker with a backoff from 100 ms to 10 s makes at most in {@link REFUSED_MS}: it makes about six, and
 * more than this once in many millions. One without makes more, also on a busy machine.
 */
const HOT = 15;
const REFUSED_MS = 4_000;
/** The longest wait between two attempts. */
const MAX_BACKOFF_MS = 10_000;

/** What a worker does when it is not let in. */
export const REFUSALS: readonly Case[] = [
  refused('backoff', 'UNAVAILABLE at every attempt', () => bareEnd(status.UNAVAILABLE)),
  refused('unauthenticated', 'UNAUTHENTICATED', () => endOf('CREDENTIALS_EXPIRED')),
  refused('resource-exhausted', 'RESOURCE_EXHAUSTED', () => bareEnd(status.RESOURCE_EXHAUSTED)),
  {
    id: 'backoff-accepted',
    grade: 'must',
    rule: 'A gateway that opens every stream and ends it at once is not asked in a tight circle either.',
    async play(stage) {
      stage.gateway.onOpen = (on) => {
        on.accept();
        on.end(bareEnd(status.UNAVAILABLE));
      };
      await stage.stream();
      await stage.transcript.pause(REFUSED_MS);
      const { attempts } = stage.gateway;
      expectThat(attempts <= HOT, `${attempts} attempts in ${seconds(REFUSED_MS)}`);
      stage.gateway.onOpen = (on) => on.accept();
      await comesBack(stage);
      return `${attempts} attempts in ${seconds(REFUSED_MS)}, then a job done`;
    },
  },
  {
    id: 'retry-info',
    grade: 'should',
    rule: 'An error with RetryInfo is not followed by an attempt before its time.',
    async play(stage) {
      const stream = await stage.stream();
      await stage.works(stream);
      const retryMs = 1_500;
      const from = stage.transcript.end;
      const endedAt = performance.now();
      stream.end(endOf('GATEWAY_DRAINING', retryMs));
      const { at } = await stage.transcript.first(
        'attempt',
        { what: 'attempt', from },
        retryMs + MAX_BACKOFF_MS,
      );
      const afterMs = at - endedAt;
      expectThat(afterMs > retryMs * 0.9, `the next attempt came after ${seconds(afterMs)}`);
      return `the next attempt after ${seconds(afterMs)}, asked for ${seconds(retryMs)}`;
    },
  },
];

function refused(id: string, what: string, refusal: () => Partial<StatusObject>): Case {
  return {
    id,
    grade: 'must',
    rule: `After ${what} the worker waits before each new attempt, goes on trying, and works once it is let in.`,
    async play(stage) {
      stage.gateway.admit = refusal;
      const { startMs } = stage.spans;
      await stage.transcript.first('attempt', { what: 'attempt to open a stream' }, startMs);
      await stage.transcript.pause(REFUSED_MS);
      const { attempts } = stage.gateway;
      expectThat(attempts >= 2, `one attempt in ${seconds(REFUSED_MS)}`);
      expectThat(attempts <= HOT, `${attempts} attempts in ${seconds(REFUSED_MS)}`);
      stage.gateway.admit = () => undefined;
      await comesBack(stage);
      return `${attempts} attempts in ${seconds(REFUSED_MS)}, then a job done`;
    },
  };
}

/** The next stream comes within the longest backoff, and works. */
async function comesBack(stage: Stage): Promise<void> {
  const from = stage.transcript.end;
  const next = await stage.streamAfter(from, MAX_BACKOFF_MS + stage.spans.reactMs);
  await stage.works(next);
}
