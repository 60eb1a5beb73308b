import type { IncomingMessage } from 'node:http';
import { Refusal } from './answer.js';

/** The page asks in a few hundred bytes. */
const MAX_BYTES = 16_384;

/** A request's body: a JSON object. @throws Refusal for anything else, or too much */
export async function readBody(
  request: IncomingMessage,
): Promise<Readonly<Record<string, unknown>>> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BYTES) {
      throw new Refusal(413, 'INVALID_ARGUMENT', 'INVALID_FIELD', `body: over ${MAX_BYTES} bytes`);
    }
    chunks.push(chunk);
  }
  return objectOf(String(Buffer.concat(chunks)));
}

function objectOf(text: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw badBody('is no JSON');
  }
  if (!isObject(value)) throw badBody('is no object');
  return value;
}

/** Whether something is a JSON object. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function badBody(problem: string): Refusal {
  return new Refusal(400, 'INVALID_ARGUMENT', 'INVALID_FIELD', `body: ${problem}`);
}
