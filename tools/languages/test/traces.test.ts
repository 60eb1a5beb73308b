import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { connect, Queue, Worker } from '@echomq/sdk';
import { openTelemetry } from '@echomq/sdk/otel';
import { eventually, useRedis } from '@echomq/testkit';
import {
  InMemorySpanExporter,
  NodeTracerProvider,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-node';
import { afterAll, beforeEach, expect, it, onTestFinished } from 'vitest';
import { inFull, ROOT, skipNote, toolchain } from '../src/index.js';
import { startGateway } from './gateway.js';

const redis = useRedis();
const chain = inFull(toolchain('python'));
const exporter = new InMemorySpanExporter();
const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
provider.register();
afterAll(() => provider.shutdown());
beforeEach(() => exporter.reset());
const telemetry = openTelemetry();

const HEAD = `
import sys, grpc
from echomq.v1 import job_pb2, producer_pb2, producer_service_pb2_grpc, worker_pb2, worker_service_pb2_grpc
channel = grpc.insecure_channel(sys.argv[1])
`;

/** Adds a job within a span of its own making, as any tracer writes it. */
const ADD = `${HEAD}
import os
trace, span = os.urandom(16).hex(), os.urandom(8).hex()
options = job_pb2.JobOptions(headers={"traceparent": f"00-{trace}-{span}-01"})
request = producer_pb2.AddJobRequest(queue="orders", name="n", data=b"1", options=options)
producer_service_pb2_grpc.ProducerServiceStub(channel).AddJob(request)
print(trace, span)
`;

/** Takes a job and tells of its context. */
const FETCH = `${HEAD}
request = worker_pb2.FetchJobsRequest(queue="mails", max_jobs=1)
[job] = worker_service_pb2_grpc.WorkerServiceStub(channel).FetchJobs(request).jobs
print(job.headers["traceparent"])
`;

async function python(script: string, address: string): Promise<string> {
  if ('missing' in chain) throw new Error(chain.missing);
  const env = { ...process.env, PYTHONPATH: join(ROOT, 'packages/worker-python/src') };
  return (await promisify(execFile)(chain.tool, ['-c', script, address], { env })).stdout.trim();
}

const spanOf = (name: string) =>
  eventually(() => {
    const found = exporter.getFinishedSpans().find((span) => span.name === name);
    if (!found) throw new Error(`no span ${name}`);
    return found;
  }, 20_000);

it.skipIf('missing' in chain)(
  `a trace goes from a Python producer to a TypeScript worker${skipNote(chain)}`,
  { timeout: 120_000 },
  async () => {
    const address = await startGateway(redis.url);
    const [trace, span] = (await python(ADD, address)).split(' ');
    const connection = connect({ address });
    onTestFinished(() => connection.close());
    new Worker('orders', async () => 'done', { connection, telemetry });
    const run = await spanOf('run orders');
    expect(run.spanContext().traceId).toBe(trace);
    expect(run.parentSpanContext?.spanId).toBe(span);
  },
);

it.skipIf('missing' in chain)(
  `and from a TypeScript producer to a Python worker${skipNote(chain)}`,
  { timeout: 120_000 },
  async () => {
    const address = await startGateway(redis.url);
    const connection = connect({ address });
    onTestFinished(() => connection.close());
    await new Queue('mails', { connection, telemetry }).add('n', 1);
    const { traceId, spanId } = (await spanOf('add mails')).spanContext();
    expect(await python(FETCH, address)).toBe(`00-${traceId}-${spanId}-01`);
  },
);
