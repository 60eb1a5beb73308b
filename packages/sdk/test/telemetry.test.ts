import { AddJobRequest } from '@echomq/proto/messages';
import { ProducerServiceClient } from '@echomq/proto/services';
import { eventually } from '@echomq/testkit';
import { credentials } from '@grpc/grpc-js';
import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import {
  InMemorySpanExporter,
  NodeTracerProvider,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-node';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { FlowProducer, Queue, UnrecoverableError } from '../src/index.js';
import { openTelemetry } from '../src/otel/index.js';
import { next, overBoth } from './places.js';

const exporter = new InMemorySpanExporter();
const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
provider.register();
afterAll(() => provider.shutdown());
beforeEach(() => exporter.reset());
const telemetry = openTelemetry();

const traceOf = (span: ReadableSpan | undefined) => span?.spanContext().traceId;
const idOf = (span: ReadableSpan | undefined) => span?.spanContext().spanId;

/** The ended span of that name, once it is there. */
const spanOf = (name: string) =>
  eventually(() => {
    const found = exporter.getFinishedSpans().find((span) => span.name === name);
    if (!found) throw new Error(`no span ${name}`);
    return found;
  });

overBoth('telemetry', (place) => {
  const traced = () => {
    const { name, connection } = place.queue();
    return new Queue<number>(name, { connection, telemetry });
  };

  it('makes one trace from the producer to the stored result', async () => {
    const queue = traced();
    const inner = traced();
    const worker = place.worker(queue, (job) => inner.add('below', job.data).then(() => 'done'), {
      telemetry,
    });
    const completed = next(worker, 'completed');
    const job = await queue.add('count', 1);
    await completed;
    const [add, wait, run, finish, below] = await Promise.all(
      [`add ${queue.name}`, `wait ${queue.name}`, `run ${queue.name}`, `finish ${queue.name}`]
        .concat(`add ${inner.name}`)
        .map(spanOf),
    );
    const all = [add, wait, run, finish, below];
    expect(new Set(all.map(traceOf)).size).toBe(1);
    const above = all.map((span) => span?.parentSpanContext?.spanId);
    expect(above.slice(0, 3)).toEqual([undefined, idOf(add), idOf(add)]);
    // On a loaded machine a lock may lapse, and the job runs once more.
    const runs = exporter.getFinishedSpans().filter(({ name }) => name === run?.name);
    for (const parent of above.slice(3)) expect(runs.map(idOf)).toContain(parent);
    const { INTERNAL, PRODUCER, CONSUMER } = SpanKind;
    expect(all.map((span) => span?.kind)).toEqual([
      PRODUCER,
      INTERNAL,
      CONSUMER,
      INTERNAL,
      PRODUCER,
    ]);
    const facts = {
      'messaging.system': 'echomq',
      'messaging.destination.name': queue.name,
      'messaging.message.id': job.id,
    };
    for (const span of [add, wait, run, finish]) expect(span?.attributes).toMatchObject(facts);
    expect(run?.attributes).toMatchObject({
      'echomq.job.end': 'complete',
      'echomq.job.attempt': 1,
    });
    expect(run?.status.code).toBe(SpanStatusCode.UNSET);
  });

  it('says which run failed, and each run is in the trace', async () => {
    const queue = traced();
    const worker = place.worker(
      queue,
      (job) => {
        throw job.attemptsMade === 0 ? new TypeError('first') : new UnrecoverableError('second');
      },
      { telemetry },
    );
    const failed = new Promise<void>((resolve) => {
      worker.on('failed', (_job, _error, { final }) => final && resolve());
    });
    await queue.add('count', 1, { attempts: 3 });
    await failed;
    const add = await spanOf(`add ${queue.name}`);
    const runs = exporter.getFinishedSpans().filter(({ name }) => name === `run ${queue.name}`);
    expect(runs.map((run) => [traceOf(run) === traceOf(add), run.status.message])).toEqual([
      [true, 'first'],
      [true, 'second'],
    ]);
    expect(runs[0]?.attributes['error.type']).toBe('TypeError');
  });

  it('covers bulks and flows', async () => {
    const queue = traced();
    const bulk = await queue.addBulk([
      { name: 'a', data: 1 },
      { name: 'b', data: 2, opts: { headers: { traceparent: 'of-its-own' } } },
    ]);
    const add = await spanOf(`add ${queue.name}`);
    expect(add.attributes['messaging.batch.message_count']).toBe(2);
    const contexts = bulk.map(({ opts }) => opts.headers?.traceparent);
    expect(contexts).toEqual([
      expect.stringContaining(`-${traceOf(add)}-${idOf(add)}-`),
      'of-its-own',
    ]);
    exporter.reset();
    const flows = new FlowProducer({ connection: queue.connection, telemetry });
    const at = { queueName: queue.name };
    const { job, children } = await flows.add({
      ...at,
      name: 'up',
      children: [{ ...at, name: 'c' }],
    });
    const flow = await spanOf(`add ${queue.name}`);
    for (const each of [job, children?.[0]?.job]) {
      expect(each?.opts.headers?.traceparent).toContain(traceOf(flow));
    }
  });

  it('fails the span of an add that fails', async () => {
    const queue = traced();
    await expect(
      queue.add('count', 1, { parent: { queue: queue.name, id: 'gone' } }),
    ).rejects.toThrow();
    const add = await spanOf(`add ${queue.name}`);
    expect(add.status.code).toBe(SpanStatusCode.ERROR);
    expect(add.attributes['error.type']).toBe('PARENT_JOB_NOT_FOUND');
  });

  it('is nothing where nobody asks for it', async () => {
    const queue = place.queue<number>();
    const worker = place.worker(queue, async () => 'done');
    const completed = next(worker, 'completed');
    await queue.add('count', 1);
    const [job] = await completed;
    expect(job.opts.headers).toBeUndefined();
    expect(exporter.getFinishedSpans()).toEqual([]);
  });

  it('goes on with what another language has put into the headers', async () => {
    const queue = place.queue<number>();
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    if (place.kind === 'gateway') {
      const target = queue.connection.target.replace(/^.*\/\//, '');
      const raw = new ProducerServiceClient(target, credentials.createInsecure());
      const request = { queue: queue.name, name: 'raw', options: { headers: { traceparent } } };
      const error = await new Promise((resolve) =>
        raw.addJob(AddJobRequest.fromPartial(request), resolve),
      );
      expect(error).toBeNull();
      raw.close();
    } else {
      await queue.add('count', 1, { headers: { traceparent } });
    }
    place.worker(queue, async () => 'done', { telemetry });
    const run = await spanOf(`run ${queue.name}`);
    expect(traceOf(run)).toBe('0af7651916cd43dd8448eb211c80319c');
    expect(run.parentSpanContext?.spanId).toBe('b7ad6b7169203331');
  });
});
