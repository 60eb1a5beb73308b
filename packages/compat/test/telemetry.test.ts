import { randomBytes } from 'node:crypto';
import { Queue as EchoQueue, Worker as EchoWorker, embedded } from '@echomq/sdk/embedded';
import { openTelemetry } from '@echomq/sdk/otel';
import { eventually, useRedis } from '@echomq/testkit';
import {
  InMemorySpanExporter,
  NodeTracerProvider,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-node';
import { Queue, Worker } from 'bullmq';
import { BullMQOtel } from 'bullmq-otel';
import { afterAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';

const redis = useRedis();
const exporter = new InMemorySpanExporter();
const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
provider.register();
afterAll(() => provider.shutdown());
beforeEach(() => exporter.reset());
const telemetry = openTelemetry();

/** What both sides need of one queue; all is closed with the test. */
function sides() {
  const name = `q-${randomBytes(5).toString('hex')}`;
  const ours = embedded({ redis: redis.url });
  const path = redis.url.replace(/^unix:\/\//, '');
  const theirs = { connection: { path }, telemetry: new BullMQOtel({ tracerName: 'theirs' }) };
  onTestFinished(() => ours.close());
  return { name, ours, theirs };
}

/** The names of the spans of one trace that begin so, once there are so many. */
const tracesOf = (pattern: RegExp, count: number) =>
  eventually(() => {
    const spans = exporter.getFinishedSpans().filter(({ name }) => pattern.test(name));
    expect(spans.length).toBeGreaterThanOrEqual(count);
    return new Set(spans.map((span) => span.spanContext().traceId));
  }, 10_000);

describe("one trace over BullMQ's telemetry and ours", () => {
  it('from their producer to our worker', async () => {
    const { name, ours, theirs } = sides();
    const queue = new Queue(name, theirs);
    onTestFinished(() => queue.close());
    await queue.add('n', {});
    const worker = new EchoWorker(name, async () => 1, { connection: ours, telemetry });
    onTestFinished(() => worker.close());
    const traces = await tracesOf(new RegExp(`^(add|run) ${name}`), 2);
    expect(traces.size).toBe(1);
  });

  it('from our producer to their worker', async () => {
    const { name, ours, theirs } = sides();
    await new EchoQueue(name, { connection: ours, telemetry }).add('n', {});
    const worker = new Worker(name, async () => 1, theirs);
    onTestFinished(() => worker.close());
    const traces = await tracesOf(new RegExp(`^(add|process) ${name}`), 2);
    expect(traces.size).toBe(1);
  });
});
