import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { EchoMQError } from '@echomq/core';
import { AddJobRequest, AddJobResponse } from '@echomq/proto/messages';
import { ProducerServiceClient } from '@echomq/proto/services';
import { Metadata, type ServiceError } from '@grpc/grpc-js';
import { describe, expect, it } from 'vitest';
import { type GatewayLogger, makeLogger } from '../src/log.js';
import { callLog } from '../src/watching/call-log.js';
import { EVENTS } from '../src/watching/events.js';
import { LineBudget } from '../src/watching/line-budget.js';
import { FakeEngine } from './fake-engine.js';
import { type LogLine, serving } from './serving.js';

const request = AddJobRequest.fromPartial({ queue: 'q', data: Buffer.from('"secret-payload"') });

/** A gateway whose adds end so, with the lines that its calls leave. */
async function answering(addJob: () => Promise<AddJobResponse>) {
  const lines: Omit<LogLine, 'level'>[] = [];
  const keep = (event: string, facts: object) => void lines.push({ event, facts });
  const logger: GatewayLogger = { debug: keep, info: keep, warn: keep, error: keep };
  const engine = new FakeEngine({ producer: { addJob } });
  const { client } = await serving(engine, {}, [callLog(logger)]);
  const producer = client(ProducerServiceClient);
  /** The request id that came back, with the answer or with the error. */
  const call = (given?: string) =>
    new Promise<unknown>((resolve) => {
      const metadata = new Metadata();
      if (given !== undefined) metadata.set('x-request-id', given);
      let id: unknown;
      const answer = (error: ServiceError | null) =>
        resolve(id ?? error?.metadata.get('x-request-id')[0]);
      const under = producer.addJob(request, metadata, answer);
      under.on('metadata', (headers) => {
        id = headers.get('x-request-id')[0];
      });
    });
  return { lines, call };
}

const failing = (code: EchoMQError['code']) => async (): Promise<AddJobResponse> => {
  throw new EchoMQError('no', { code, reason: 'JOB_NOT_FOUND' });
};

describe('request ids', () => {
  it('of the caller come back, with an answer and with an error', async () => {
    const good = await answering(async () => AddJobResponse.create());
    expect(await good.call('order-17/abc')).toBe('order-17/abc');
    const bad = await answering(failing('NOT_FOUND'));
    expect(await bad.call('order-18')).toBe('order-18');
  });

  it('are made where there is none, or none that fits a log', async () => {
    const { call } = await answering(async () => AddJobResponse.create());
    const ids = [await call(), await call('two words'), await call('x'.repeat(129))];
    for (const id of ids) expect(id).toMatch(/^[0-9a-f-]{36}$/);
    expect(new Set(ids).size).toBe(3);
  });
});

describe('a call', () => {
  it('that failed leaves one line with its id, and no payload', async () => {
    const { lines, call } = await answering(failing('NOT_FOUND'));
    await call('r-1');
    expect(lines).toEqual([
      {
        event: 'call.failed',
        facts: {
          requestId: 'r-1',
          method: 'echomq.v1.ProducerService/AddJob',
          principal: expect.any(String),
          code: 'NOT_FOUND',
          reason: 'JOB_NOT_FOUND',
          ms: expect.any(Number),
        },
      },
    ]);
    expect(JSON.stringify(lines)).not.toContain('secret-payload');
  });

  it.each([
    ['INTERNAL', 'error'],
    ['UNAVAILABLE', 'warn'],
    ['RESOURCE_EXHAUSTED', 'warn'],
    ['INVALID_ARGUMENT', 'info'],
    ['FAILED_PRECONDITION', 'info'],
    ['UNAUTHENTICATED', undefined],
  ] as const)('that ends with %s is told at %s', async (code, level) => {
    const told: string[] = [];
    const logger: GatewayLogger = {
      info: () => told.push('info'),
      warn: () => told.push('warn'),
      error: () => told.push('error'),
    };
    const engine = new FakeEngine({ producer: { addJob: failing(code) } });
    const { client } = await serving(engine, {}, [callLog(logger)]);
    const producer = client(ProducerServiceClient);
    await new Promise((resolve) => producer.addJob(request, resolve));
    expect(told).toEqual(level === undefined ? [] : [level]);
  });

  it('of a kind of which there are too many is counted', () => {
    let now = 0;
    const budget = new LineBudget(() => now);
    const taken = Array.from({ length: 13 }, () => budget.take('a'));
    expect(taken).toEqual([...Array(10).fill(0), undefined, undefined, undefined]);
    expect(budget.take('b')).toBe(0);
    now = 1_000;
    expect([budget.take('a'), budget.take('a')]).toEqual([3, 0]);
  });
});

describe('the lines', () => {
  const written = (format: 'json' | 'text', level = 'info') => {
    const lines: string[] = [];
    const log = makeLogger(level, { format, to: { write: (line) => void lines.push(line) } });
    return { log, lines };
  };

  it('are JSON, hide what looks like a secret, and keep to their level', () => {
    const { log, lines } = written('json');
    log.info('some.event', { queue: 'q', token: 'hunter2', data: 'hunter2' });
    expect(log.debug).toBeUndefined();
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      {
        level: 30,
        time: expect.any(Number),
        queue: 'q',
        token: '[hidden]',
        data: '[hidden]',
        msg: 'some.event',
      },
    ]);
    expect(written('json', 'debug').log.debug).toBeDefined();
  });

  it('are for people where that is asked for', () => {
    const { log, lines } = written('text');
    log.warn('some.event', { queue: 'q', problem: 'two words', leases: 3 });
    expect(lines).toEqual([
      expect.stringMatching(
        /^\d{4}-\S+Z WARN {2}some\.event queue=q problem="two words" leases=3\n$/,
      ),
    ]);
  });
});

describe('the table of events', () => {
  it('has every name that the sources of gateway and engine log, and no other', () => {
    const root = fileURLToPath(new URL('../../../', import.meta.url));
    const names = ['packages/engine/src', 'apps/gateway/src'].flatMap((folder) =>
      readdirSync(root + folder, { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith('.ts'))
        .flatMap((file) => namesIn(readFileSync(`${root}${folder}/${file}`, 'utf8'))),
    );
    expect([...new Set(names)].sort()).toEqual(Object.keys(EVENTS).sort());
  });
});

/** The first argument of what logs, in a source. */
function namesIn(text: string): string[] {
  const calls =
    /(?:logger(?:\?\.|\.|\[[^\]]+(?:\][^(]*)?\]?\.?)\w*(?:\?\.)?|logger\[[^(]*\]|logFailure|#warn|\bdie)\((?:[^'()]*,)?\s*'([a-z][\w.]+)'/g;
  return [...text.matchAll(calls)].map(([, name = '']) => name);
}
