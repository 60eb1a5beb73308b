import { EchoMQError } from '../errors.js';

/**
 * A stored payload as a value. Empty bytes are undefined: there is none.
 *
 * @param field what an error calls it
 * @throws EchoMQError of reason PAYLOAD_NOT_JSON: another client stored bytes that are no JSON
 */
export function decodeJson(bytes: Uint8Array, field: string): unknown {
  if (bytes.length === 0) return undefined;
  try {
    return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString());
  } catch (cause) {
    throw new EchoMQError(`${field}: what is stored is no JSON`, {
      code: 'INVALID_ARGUMENT',
      reason: 'PAYLOAD_NOT_JSON',
      metadata: { field },
      cause,
    });
  }
}
