import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { EchoMQError } from '@echomq/core';
import { AddJobRequest, AddJobResponse } from '@echomq/proto/messages';
import { ProducerServiceClient, WorkerServiceClient } from '@echomq/proto/services';
import { collect, useRedis } from '@echomq/testkit';
import { Metadata } from '@grpc/grpc-js';
import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import {
  InMemorySpanExporter,
  NodeTracerProvider,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-node';
import { describe, expect, it, onTestFinished } from 'vitest';
import { callTracer } from '../src/tracing/call-tracer.js';
import { FakeEngine } from './fake-engine.js';
import { observed } from './observed-workload.js';
import { serving } from './serving.js';

const redis = useRedis();
const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PARENT = 'b7ad6b7169203331';

const traced = () => {
  const metadata = new Metadata();
  metadata.set('traceparent', `00-${TRACE}-${PARENT}-01`);
  metadata.set('x-request-id', 'r-1');
  return metadata;
};

/** The spans of a gateway whose adds end so. */
async function spansOf(addJob: () => Promise<AddJobResponse>) {
  const exporter = new InMemorySpanExporter();
  const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  onTestFinished(() => provider.shutdown());
  const engine = new FakeEngine({ producer: { addJob }, worker: { work: async () => undefined } });
  const { client } = await serving(engine, {}, [callTracer(provider.getTracer('test'))]);
  const producer = client(ProducerServiceClient);
  await new Promise((resolve) => producer.addJob(AddJobRequest.create(), traced(), resolve));
  const stream = client(WorkerServiceClient).work(traced());
  stream.resume();
  stream.end();
  await new Promise((resolve) => stream.on('status', resolve));
  return exporter.getFinishedSpans();
}

describe('the spans of a gateway', () => {
  it('are one for each unary call, below the span of the caller', async () => {
    const [span, ...more] = await spansOf(async () => AddJobResponse.create());
    expect(more).toEqual([]);
    expect(span?.name).toBe('echomq.v1.ProducerService/AddJob');
    expect(span?.kind).toBe(SpanKind.SERVER);
    expect(span?.spanContext().traceId).toBe(TRACE);
    expect(span?.parentSpanContext?.spanId).toBe(PARENT);
    expect(span?.status.code).toBe(SpanStatusCode.UNSET);
    expect(span?.attributes).toEqual({
      'rpc.system': 'grpc',
      'rpc.service': 'echomq.v1.ProducerService',
      'rpc.method': 'AddJob',
      'rpc.grpc.status_code': 0,
      'echomq.request_id': 'r-1',
    });
  });

  it.each([
    ['UNAVAILABLE', SpanStatusCode.ERROR],
    ['NOT_FOUND', SpanStatusCode.UNSET],
  ] as const)('tell how a call failed: %s', async (code, status) => {
    const [span] = await spansOf(async () => {
      throw new EchoMQError('no', { code, reason: 'WHY' });
    });
    expect(span?.attributes['error.type']).toBe('WHY');
    expect(span?.status.code).toBe(status);
  });

  it('go out by OTLP, the last when the gateway ends', async () => {
    const bodies = collect<Buffer>('exports');
    const collector = createServer((request, response) => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        bodies.push(Buffer.concat(parts));
        response.end();
      });
    });
    await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      collector.closeAllConnections();
      collector.close();
    });
    const { port } = collector.address() as AddressInfo;
    const at = await observed(redis, { ECHOMQ_TRACE_URL: `http://127.0.0.1:${port}/v1/traces` });
    await at.add('orders', {}, traced());
    await at.close();
    await bodies.waitFor(1);
    const sent = Buffer.concat(bodies.items);
    expect(sent.includes(Buffer.from(TRACE, 'hex'))).toBe(true);
    expect(sent.includes('echomq-gateway')).toBe(true);
  });

  it('cost nothing where nobody asks for them: nothing of it is loaded', async () => {
    const script = fileURLToPath(new URL('fixtures/loaded.mjs', import.meta.url));
    const { stdout } = await promisify(execFile)(process.execPath, [script, '@echomq/gateway']);
    const modules = JSON.parse(stdout) as string[];
    expect(modules.some((url) => url.includes('pino'))).toBe(true);
    expect(modules.filter((url) => /opentelemetry|prom-client/.test(url))).toEqual([]);
  });
});
